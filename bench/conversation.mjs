// A conversation of about as many tokens as asked for, the same at every run: questions, replies with
// tool rounds, prose, code, JSON and some text that is not English.

const WORDS = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many must before back see through way where get much go well your know should down work year because come people just say each those take day good how long little own place while same right another think house world still again under might last never us old great year off come since against turn here found head without until often".split(" ");
const OTHER = ["今日は天気がいいので散歩に行きましょう。", "Комиссия рассмотрела предложение и отложила решение. ", "المشروع قيد المراجعة حاليا. ", "데이터를 다시 확인해 주세요. ", "👩‍💻 🚀 done. "];

function random(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * below);
  };
}

/** `{ galley: "conversation/1", … }` of about `tokens` tokens (o200k_base). */
export function conversation(tokens, model) {
  const pick = random(7);
  const word = () => WORDS[pick(WORDS.length)];
  const sentence = () => {
    const words = Array.from({ length: 6 + pick(14) }, word);
    return `${words[0][0].toUpperCase()}${words.join(" ").slice(1)}. `;
  };
  const prose = (sentences) => Array.from({ length: sentences }, () => (pick(40) === 0 ? OTHER[pick(OTHER.length)] : sentence())).join("");
  const code = (lines) =>
    Array.from({ length: lines }, () => `    let ${word()}_${word()} = ${word()}.${word()}(${pick(1000)}, "${word()}")?;`).join("\n");
  const records = (count) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, name: word(), path: `src/${word()}/${word()}.rs`, size: pick(100000), note: sentence() })), null, 1);

  const turns = [];
  let spent = 0;
  for (let at = 0; spent < tokens; at++) {
    const rounds = [];
    let size = 0;
    const keep = (text, perToken) => {
      size += text.length / perToken;
      return text;
    };
    // Replies long enough that all of it fits into the candidate window of 200 turns.
    for (let round = 0, last = 10 + pick(12); round <= last; round++) {
      const id = `call_${at}_${round}`;
      const final = round === last;
      rounds.push({
        key: `r${round + 1}`,
        output: keep(prose(final ? 8 + pick(20) : 1), 5.2),
        calls: final ? [] : [{ id, name: pick(2) ? "read_file" : "search", arguments: JSON.stringify({ path: `src/${word()}.rs`, query: word() }) }],
        results: final ? {} : { [id]: { status: "completed", output: pick(2) ? keep(code(20 + pick(60)), 3.3) : keep(records(4 + pick(20)), 3.1) } },
      });
    }
    turns.push({ id: `t${at}`, kind: "direct_reply", role: "assistant", prompt: keep(prose(2 + pick(4)), 5.2), run: { rounds } });
    spent += size;
  }
  return {
    galley: "conversation/1",
    id: "bench",
    models: [model],
    current_model: model.model,
    documents: [{ slot: "system_prompt", role: "system", content: prose(60), version: 1 }],
    turns,
  };
}

/** A model that holds the whole of it, counted exactly. */
export const ROW = { model: "bench/two-million", input_tokens: 2_000_000, counter: "o200k_base" };
