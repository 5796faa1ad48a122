// About four megabytes of text in six kinds, the same on every run: prose, Rust, JavaScript, JSON,
// Chinese and Japanese with emoji, base64.

let state;
function random(below) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}
const pick = (list) => list[random(list.length)];
// The front of a list far more often than its end, as words come in a language.
const common = (list) => list[Math.min(random(list.length), random(list.length), random(list.length))];
const capital = (word) => word[0].toUpperCase() + word.slice(1);

const WORDS = `the of and to a in is it you that he was for on are with as his they be at one have this from or had by
hot but some what there we can out other were all your when up use word how said an each she which do their time if
will way about many then them would write like so these her long make thing see him two has look more day could go come
did number sound no most people my over know water than call first who may down side been now find any new work part take
get place made live where after back little only round man year came show every good give our under name very through
just form sentence great think say help low line differ turn cause much mean before move right boy old too same tell does
set three want air well also play small end put home read hand port large spell add even land here must big high such
follow act why ask men change went light kind off need house picture try us again animal point mother world near build
self earth father conversation template request assistant model context window reasoning budget allocation tokenizer
unfortunately nevertheless configuration implementation responsibility straightforward compatibility acknowledgement
Reykjavík naïve café Zürich jalapeño coöperate façade`.split(/\s+/);

const CHARACTERS = "的一是不了人我在有他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴";
const KANA = ["です", "ました", "という", "については", "カタカナ", "データ", "する", "から", "まで", "ありがとう"];
const EMOJI = ["😀", "🎉", "👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇫🇷", "❤️", "🚀"];

function sentence() {
  const words = Array.from({ length: 5 + random(18) }, () => common(WORDS));
  if (random(4) === 0) words[random(words.length)] += ",";
  if (random(9) === 0) words[random(words.length)] += pick(["'s", "n't", "’s", "'re"]);
  if (random(11) === 0) words[random(words.length)] = String(random(100000));
  return capital(words.join(" ")) + pick([".", ".", ".", "?", "!", "…", ":"]);
}
const prose = () => Array.from({ length: 2 + random(6) }, sentence).join(" ") + pick(["\n\n", "\n", "\r\n"]);

const snake = () => Array.from({ length: 1 + random(3) }, () => common(WORDS).toLowerCase()).join("_");
const camel = () => snake().replace(/_(.)/gu, (_, letter) => letter.toUpperCase());
const type = () => capital(camel());

function rust() {
  const [name, argument, field] = [snake(), snake(), snake()];
  return `/// ${sentence()}
pub fn ${name}(${argument}: &${type()}, ${field}: Option<u${pick([8, 16, 32, 64])}>) -> Result<Vec<${type()}>, ${type()}Error> {
    let mut ${snake()} = Vec::with_capacity(${random(4096)});
    for (index, item) in ${argument}.${snake()}.iter().enumerate() {
        if item.${field} >= 0x${random(65536).toString(16)} && !self.${snake()}(index)? {
            return Err(${type()}Error::${type()} { ${field}: item.${snake()}.clone(), at: index + ${random(10)} });
        }
    }
    ${snake()}.map(|x| x as f64 * ${random(1000) / 8}).collect::<Result<_, _>>()
}\n\n`;
}

function javascript() {
  const [name, argument] = [camel(), camel()];
  return `// ${sentence()}
export async function ${name}(${argument}, { ${camel()} = ${random(100)}, signal } = {}) {
  const ${camel()} = await fetch(\`/api/\${${argument}.id}/${snake()}?page=${random(50)}\`, { signal });
  if (!response.ok) throw new ${type()}Error("${sentence().replaceAll('"', "")}", { cause: response.status });
  return ${argument}.${camel()}?.filter((item) => item.${camel()} !== null && item.${camel()} > ${random(1e6)}).map(({ id, ...rest }) => [id, rest]);
}\n\n`;
}

const hex = (length) => Array.from({ length }, () => random(16).toString(16)).join("");
function json() {
  return `${JSON.stringify({
    id: `msg_${hex(24)}`,
    role: pick(["user", "assistant", "tool"]),
    created_at: 1_735_000_000 + random(1e7),
    content: [{ type: "text", text: `${sentence()} ${sentence()}\n${sentence()}` }],
    tool_calls: [{ id: `call_${hex(16)}`, type: "function", function: { name: snake(), arguments: JSON.stringify({ path: `src/${snake()}.rs`, line: random(999) }) } }],
    usage: { input_tokens: random(100000), output_tokens: random(4000), ratio: random(1000) / 997 },
    flags: [true, null, false],
  }, null, pick([0, 2]))}\n`;
}

function world() {
  const characters = [...CHARACTERS];
  const text = Array.from({ length: 8 + random(40) }, () => common(characters)).join("");
  return text + pick(["，", "。", "！", "、"]) + (random(3) ? "" : pick(KANA)) + (random(6) ? "" : pick(EMOJI)) + (random(8) ? "" : "\n");
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = () => Array.from({ length: 76 * 50 }, () => ALPHABET[random(64)]).join("");

const KINDS = [["prose", prose, 1_200_000], ["rust", rust, 700_000], ["js", javascript, 700_000], ["json", json, 800_000], ["cjk", world, 500_000], ["base64", base64, 300_000]];

/** The texts by kind. */
export function corpus() {
  state = 20_261;
  return Object.fromEntries(KINDS.map(([name, make, bytes]) => {
    const parts = [];
    for (let length = 0; length < bytes; length += Buffer.byteLength(parts.at(-1))) parts.push(make());
    return [name, parts.join("")];
  }));
}
