// What a JSON Schema (draft-07) says of its properties, written short, so that two schemas of one contract are one
// text however they are put together: `name?: type | null = default`. Titles, descriptions and the names of enums are
// left out; a keyword that is not known here throws, so that nothing is passed over.

/** `{ root, …definitions by name }`: an object as its properties, one of several objects as a list of those. */
export function facts({ definitions = {}, ...root }) {
  const told = { root: shape(root, definitions) };
  for (const [name, schema] of Object.entries(definitions).sort()) {
    if (words(schema) === undefined) told[name] = shape(schema, definitions);
  }
  return told;
}

function shape({ title, description, ...schema }, definitions) {
  if (schema.oneOf) {
    const { oneOf, ...rest } = schema;
    nothing(rest);
    return oneOf.map((variant) => shape(variant, definitions));
  }
  const { type, properties = {}, required = [], additionalProperties, ...rest } = schema;
  nothing(rest);
  if (type !== "object") throw new Error(`no object: ${JSON.stringify(schema)}`);
  for (const name of required) if (!(name in properties)) throw new Error(`${name} is required and no property`);
  const told = Object.entries(properties).map(([name, property]) => [required.includes(name) ? name : `${name}?`, value(property, definitions)]);
  if (additionalProperties !== undefined) told.push(["*", value(additionalProperties, definitions)]);
  return Object.fromEntries(told.sort());
}

/** A type and, where there is one, its default. */
function value(schema, definitions) {
  if (schema === true) return "any";
  const { default: fallback, title, description, ...rest } = schema;
  const told = type(rest, definitions);
  return fallback === undefined ? told : `${told} = ${JSON.stringify(fallback)}`;
}

function type({ title, description, ...schema }, definitions) {
  const constant = words(schema);
  if (constant !== undefined) return constant.map((word) => JSON.stringify(word)).join(" | ");
  const one = only(schema, "allOf");
  if (one) {
    if (one.length !== 1) throw new Error("allOf of several");
    return type(one[0], definitions);
  }
  const any = only(schema, "anyOf");
  if (any) return any.map((each) => type(each, definitions)).join(" | ");
  const reference = only(schema, "$ref");
  if (reference) {
    const name = reference.replace("#/definitions/", "");
    return words(definitions[name]) ? type(definitions[name], definitions) : name;
  }
  const { type: types, ...rest } = schema;
  if (types === undefined) {
    nothing(rest);
    return "any";
  }
  return [types].flat().map((each) => (each === "null" ? each : plain(each, rest, definitions))).join(" | ");
}

function plain(type, { format, minimum, items, additionalProperties, ...rest }, definitions) {
  nothing(rest);
  const told = format === undefined ? type : `${type} ${format}`;
  if (type === "array") return `${value(items, definitions)}[]`;
  if (additionalProperties !== undefined) return `${told} of ${value(additionalProperties, definitions)}`;
  return minimum === undefined ? told : `${told} from ${minimum}`;
}

/** The words of an enum, also of one whose words have a description each. */
function words({ title, description, ...schema }) {
  if (schema.enum && (schema.type ?? "string") === "string") return schema.enum;
  if (typeof schema.const === "string") return [schema.const];
  const each = schema.oneOf?.map(words);
  return each?.every(Boolean) ? each.flat() : undefined;
}

const only = (schema, keyword) => {
  if (!(keyword in schema)) return undefined;
  const { [keyword]: held, ...rest } = schema;
  nothing(rest);
  return held;
};

function nothing(rest) {
  if (Object.keys(rest).length > 0) throw new Error(`not known: ${JSON.stringify(rest)}`);
}
