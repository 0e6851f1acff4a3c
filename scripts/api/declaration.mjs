/**
 * A public declaration as its users read it: what stands in the source, without what is private and without bodies.
 *
 * Source text is taken where it says all (interfaces, schemas, types, small constants), since it is formatted and has
 * its comments; the checker is asked where the source leaves a type to it.
 */

import { SyntaxKind } from "typescript/unstable/ast";
import { NodeBuilderFlags, SymbolFlags } from "typescript/unstable/sync";
import { docTextIn, memberComment } from "./doc-comment.mjs";

const WHOLE = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.MultilineObjectLiterals | NodeBuilderFlags.InTypeAlias;
/** Longest value of a constant that is shown instead of its type, in UTF-16 units. */
const MAX_VALUE_CHARS = 90;

const isPrivate = (node) =>
  node.name?.kind === SyntaxKind.PrivateIdentifier ||
  (node.modifiers ?? []).some(({ kind }) => kind === SyntaxKind.PrivateKeyword);

const triviaOf = (node) => node.getSourceFile().text.slice(node.pos, node.getStart());

/** A `const` has its comment before the whole statement. */
const commented = (node) => (node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node);

/** The doc text of a declaration, "" where it has none. */
export function docOf(nodes) {
  return nodes.map((node) => docTextIn(triviaOf(commented(node)))).find((text) => text !== "") ?? "";
}

/** @returns {{ kind: string, text: string }} `text` is TypeScript */
export function declarationOf(checker, symbol, nodes) {
  const texts = nodes.map((node) => printed(checker, symbol, node)).filter((text) => text !== "");
  return { kind: kindOf(nodes), text: texts.join("\n").replaceAll("\t", "  ") };
}

function kindOf(nodes) {
  const kinds = nodes.map(({ kind }) => kind);
  if (kinds.includes(SyntaxKind.ClassDeclaration)) return "class";
  if (kinds.includes(SyntaxKind.FunctionDeclaration)) return "function";
  if (kinds.includes(SyntaxKind.VariableDeclaration)) {
    return nodes.some((node) => isSchema(node)) ? "schema" : "constant";
  }
  return "type";
}

function printed(checker, symbol, node) {
  switch (node.kind) {
    case SyntaxKind.ClassDeclaration:
      return classText(checker, node);
    case SyntaxKind.FunctionDeclaration:
      return `${headText(checker, node)};`;
    case SyntaxKind.VariableDeclaration:
      return constantText(checker, symbol, node);
    case SyntaxKind.TypeAliasDeclaration:
      return aliasText(checker, symbol, node);
    case SyntaxKind.InterfaceDeclaration:
      return withoutExport(node.getText());
    default:
      throw new Error(`a public \`${symbol.name}\` is of a kind that this script does not know (${node.kind})`);
  }
}

const withoutExport = (text) => text.replace(/^export (?:declare )?/, "");

/** A function, method or constructor up to its body, with the type that it returns. */
function headText(checker, node) {
  const text = node.getSourceFile().text;
  const end = node.body ? node.body.getStart() : node.end;
  const head = withoutExport(text.slice(node.getStart(), end))
    .replace(/^(static )?async /, "$1")
    .trim()
    .replace(/;$/, "");
  if (node.type !== undefined || node.kind === SyntaxKind.Constructor) return head;
  const signature = checker.getSignatureFromDeclaration(node);
  return `${head}: ${typeText(checker, checker.getReturnTypeOfSignature(signature), node)}`;
}

function typeText(checker, type, node) {
  return checker.typeToString(type, node, WHOLE).replace(/^( {4})+/gm, (spaces) => " ".repeat(spaces.length / 2));
}

function classText(checker, node) {
  const text = node.getSourceFile().text;
  const head = withoutExport(text.slice(node.getStart(), node.members.pos)).trim();
  const members = node.members
    .filter((member) => !isPrivate(member) && member.kind !== SyntaxKind.ClassStaticBlockDeclaration)
    .map((member) => `${memberComment(docTextIn(triviaOf(member)))}  ${memberText(checker, member)};`);
  return `${head}\n${members.join("\n")}\n}`;
}

function memberText(checker, member) {
  if (member.kind !== SyntaxKind.PropertyDeclaration) return headText(checker, member);
  const text = member.getSourceFile().text;
  const head = text.slice(member.getStart(), (member.type ?? member.name).end);
  if (member.type !== undefined) return head;
  return `${head}: ${typeText(checker, checker.getTypeAtLocation(member.name), member)}`;
}

const isSchema = (node) =>
  node.kind === SyntaxKind.VariableDeclaration &&
  /^(?:z\s*\.|[A-Z]\w+\s*\.(?:extend|pick|omit)\()/.test(node.initializer?.getText() ?? "");

/** A schema is source text: nothing says its ranges and defaults as well. */
function constantText(checker, symbol, node) {
  const value = node.initializer?.getText() ?? "";
  const isShort = value.length <= MAX_VALUE_CHARS && !value.includes("\n") && !/^(?:async )?[(\w]+.*=>/.test(value);
  if (isSchema(node) || isShort) return `const ${node.getText()};`;
  return `const ${symbol.name}: ${typeText(checker, checker.getTypeOfSymbol(symbol), node)};`;
}

/** What a schema's type is called after: written out where the schema's own text does not show its fields. */
function aliasText(checker, symbol, node) {
  const text = withoutExport(node.getText());
  const schema = /^type \w+ = z\.(?:infer|output)<typeof (\w+)>;$/.exec(text)?.[1];
  if (schema === undefined) return text;
  const own = symbol.flags & SymbolFlags.Variable ? symbol.valueDeclaration : undefined;
  const fields = own === undefined ? "" : sourceOf(own);
  if (fields.includes("{\n") && !fields.includes("...")) return text;
  return `type ${symbol.name} = ${fieldsText(checker, checker.getDeclaredTypeOfSymbol(symbol), node)};`;
}

function sourceOf(handle) {
  return handle.resolve()?.getText() ?? "";
}

/** An object type with the comments of its fields. */
function fieldsText(checker, type, node) {
  if (!type.isObjectType() || checker.getPropertiesOfType(type).length === 0) return typeText(checker, type, node);
  const fields = checker.getPropertiesOfType(type).map((field) => {
    const mark = field.flags & SymbolFlags.Optional ? "?" : "";
    const name = /^\w+$/.test(field.name) ? field.name : JSON.stringify(field.name);
    const text = typeText(checker, checker.getTypeOfSymbol(field), node).replaceAll("\n", "\n  ");
    return `${memberComment(field.getDocumentationComment(checker))}  ${name}${mark}: ${text};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}
