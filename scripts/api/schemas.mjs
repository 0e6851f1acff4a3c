/** The JSON Schemas of everything that a model, a program or a settings file may say: a snapshot like the pages. */

/** Schemas of the contract that are input from outside. */
const INPUTS = /Params(?:WithAsync)?$|^Settings$|^RpcRequest$/;

/**
 * @param {Record<string, unknown>} contract the module `@pi-bash/contract`, of the sources or built
 * @returns {string} the text of `docs/api/schemas.json`
 */
export function schemasText(contract) {
  const names = Object.keys(contract).filter((name) => INPUTS.test(name) && "safeParse" in Object(contract[name]));
  const schemas = names.sort().map((name) => [name, contract.jsonSchemaOf(contract[name])]);
  return `${JSON.stringify(Object.fromEntries(schemas), null, 2)}\n`;
}
