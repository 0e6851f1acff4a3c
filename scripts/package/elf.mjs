/**
 * What a 64-bit little-endian ELF file says of itself: its machine, what it needs, which names it gives and wants.
 *
 * Read here and not by `readelf`, which a machine that packs a release may not have.
 */

/** `e_machine`, by the name that npm has for a processor. */
export const ELF_MACHINES = { x64: 62, arm64: 183 };

const ELF_MAGIC = 0x7f454c46;
const CLASS_64 = 2;
const LITTLE_ENDIAN = 1;
const HEADER_BYTES = 64;
const EXECUTABLE = 2;
const SHARED_OBJECT = 3;
const SEGMENT_DYNAMIC = 2;
const SEGMENT_INTERPRETER = 3;
const SECTION_DYNAMIC = 6;
const SECTION_DYNAMIC_SYMBOLS = 11;
const TAG_END = 0n;
const TAG_NEEDED = 1n;
const SEGMENT_BYTES = 56;
const DYNAMIC_BYTES = 16;
const SYMBOL_BYTES = 24;
const BINDING_WEAK = 2;

/**
 * @param {Buffer} bytes the whole file
 * @returns {{ machine: number, needed: string[], given: string[], wanted: string[] }} `wanted` are names without which it
 *   is not loaded; weak ones are not among them
 * @throws Error where it is not a shared object of that kind
 */
export function readSharedObject(bytes) {
  if (!isOfKind(bytes, [SHARED_OBJECT])) throw new Error("it is not a 64-bit little-endian shared object");
  const sections = sectionsOf(bytes);
  const symbols = symbolsOf(bytes, sections);
  const named = symbols.filter(({ name }) => name !== "");
  return {
    machine: bytes.readUInt16LE(18),
    needed: neededBy(bytes, sections),
    given: named.filter(({ isWanted }) => !isWanted).map(({ name }) => name),
    wanted: named.filter(({ isWanted, isWeak }) => isWanted && !isWeak).map(({ name }) => name),
  };
}

/**
 * @param {Buffer} bytes the whole file, whose table of sections may be stripped
 * @returns {{ machine: number, isStatic: boolean }} `isStatic`: it names no loader and needs no library
 * @throws Error where it is not a program of that kind, or is cut off
 */
export function readProgram(bytes) {
  // A program that can be loaded anywhere is a shared object by its kind.
  if (!isOfKind(bytes, [EXECUTABLE, SHARED_OBJECT])) throw new Error("it is not a 64-bit little-endian program");
  const segments = segmentsOf(bytes);
  const needsLibraries = segments.some(({ kind, offset, size }) => {
    if (kind !== SEGMENT_DYNAMIC) return false;
    const tags = Array.from({ length: Math.floor(size / DYNAMIC_BYTES) }, (_, index) =>
      bytes.readBigUInt64LE(offset + index * DYNAMIC_BYTES),
    );
    const end = tags.indexOf(TAG_END);
    return tags.slice(0, end === -1 ? tags.length : end).includes(TAG_NEEDED);
  });
  const hasLoader = segments.some(({ kind }) => kind === SEGMENT_INTERPRETER);
  return { machine: bytes.readUInt16LE(18), isStatic: !hasLoader && !needsLibraries };
}

function isOfKind(bytes, kinds) {
  const isElf = bytes.length > HEADER_BYTES && bytes.readUInt32BE(0) === ELF_MAGIC;
  return isElf && bytes[4] === CLASS_64 && bytes[5] === LITTLE_ENDIAN && kinds.includes(bytes.readUInt16LE(16));
}

function segmentsOf(bytes) {
  const table = Number(bytes.readBigUInt64LE(32));
  const length = bytes.readUInt16LE(54);
  return Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = table + index * length;
    if (at + SEGMENT_BYTES > bytes.length) throw new Error("it is cut off");
    const offset = Number(bytes.readBigUInt64LE(at + 8));
    const size = Number(bytes.readBigUInt64LE(at + 32));
    if (offset + size > bytes.length) throw new Error("it is cut off");
    return { kind: bytes.readUInt32LE(at), offset, size };
  });
}

function sectionsOf(bytes) {
  const table = Number(bytes.readBigUInt64LE(40));
  const length = bytes.readUInt16LE(58);
  return Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => {
    const at = table + index * length;
    return {
      kind: bytes.readUInt32LE(at + 4),
      offset: Number(bytes.readBigUInt64LE(at + 24)),
      size: Number(bytes.readBigUInt64LE(at + 32)),
      link: bytes.readUInt32LE(at + 40),
    };
  });
}

/** The entries of the first section of a kind, each by its offset, and the section with its strings. */
function entriesOf(sections, kind, entryBytes) {
  const section = sections.find((one) => one.kind === kind);
  if (section === undefined) throw new Error("it has no table of dynamic symbols, or none of what it needs");
  const offsets = Array.from(
    { length: Math.floor(section.size / entryBytes) },
    (_, index) => section.offset + index * entryBytes,
  );
  return { offsets, strings: sections[section.link] };
}

function stringAt(bytes, { offset }, at) {
  const from = offset + at;
  return bytes.subarray(from, bytes.indexOf(0, from)).toString("latin1");
}

function neededBy(bytes, sections) {
  const { offsets, strings } = entriesOf(sections, SECTION_DYNAMIC, DYNAMIC_BYTES);
  return offsets
    .filter((at) => bytes.readBigUInt64LE(at) === TAG_NEEDED)
    .map((at) => stringAt(bytes, strings, Number(bytes.readBigUInt64LE(at + 8))));
}

function symbolsOf(bytes, sections) {
  const { offsets, strings } = entriesOf(sections, SECTION_DYNAMIC_SYMBOLS, SYMBOL_BYTES);
  return offsets.map((at) => ({
    name: stringAt(bytes, strings, bytes.readUInt32LE(at)),
    isWeak: bytes.readUInt8(at + 4) >> 4 === BINDING_WEAK,
    isWanted: bytes.readUInt16LE(at + 6) === 0,
  }));
}
