//! Owns what the linker tells of the program's constants and of what refers to them, its symbols and relocations, and where
//! these are in the program now: wasm-split has moved them. Refuses to decide what is needed.
//!
//! Functions are the same in both but for addresses, so these tell where a constant is now, and what it holds where others are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem::discriminant;

use anyhow::{Context, Result, bail};
use wasmparser::{
    DataKind, FunctionBody, KnownCustom, Linking, Name, Operator, Parser, Payload, RelocationEntry,
    RelocationType, SymbolInfo,
};

use super::module::{Module, number};

/// How the names of segments begin that never change while the program runs.
const CONSTANT: &str = ".rodata";

/// A piece of memory that has a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// Its first byte.
    pub from: u32,
    /// Behind its last one.
    pub to: u32,
    /// Whether it stays as it is.
    pub constant: bool,
}

/// What a place in memory holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The address of a symbol.
    Symbol(usize),
    /// A slot of the table of functions. Which one is in the memory.
    Slot,
}

/// What the linker told, by the addresses that the program has now.
#[derive(Debug, Default)]
pub struct Linked {
    /// The symbols of which it is known where they are.
    pub symbols: Vec<Symbol>,
    /// The symbols that an instruction may mean by a number.
    pub meant: BTreeMap<u32, BTreeSet<usize>>,
    /// What is held where.
    pub held: BTreeMap<u32, Held>,
    /// The names of the functions whose slots stand in instructions.
    pub taken: BTreeSet<String>,
    /// The names of all functions.
    pub named: BTreeSet<String>,
}

/// A segment of the memory: its address, where it is in the section of data, what it is called, what it has.
struct Segment<'a> {
    address: u32,
    at: u32,
    name: &'a str,
    bytes: &'a [u8],
}

/// What relocations name.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Function(u32),
    Data(usize),
    Other,
}

/// What the linker left, by its own addresses.
#[derive(Default)]
struct Left<'a> {
    segments: Vec<Segment<'a>>,
    kinds: Vec<Kind>,
    symbols: Vec<Symbol>,
    bodies: Vec<FunctionBody<'a>>,
    imported: u32,
    names: BTreeMap<u32, String>,
    /// By place in the file: the symbol that an instruction refers to, and how far from its beginning.
    instructions: BTreeMap<u64, (usize, u32)>,
    /// By address.
    held: BTreeMap<u32, (Option<usize>, u32)>,
    taken: BTreeSet<String>,
}

impl Linked {
    /// Reads what the linker left of a program that was cut since.
    pub fn read(bytes: &[u8], module: &Module<'_>) -> Result<Self> {
        let left = Left::read(bytes)?;
        let places = left.places(module)?;
        let mut linked =
            Self { taken: left.taken, named: left.names.values().cloned().collect(), ..Self::default() };
        let mut numbers = HashMap::new();
        for (old, (symbol, place)) in left.symbols.iter().zip(&places).enumerate() {
            if let Some(from) = place {
                numbers.insert(old, linked.symbols.len());
                let to = from + (symbol.to - symbol.from);
                linked.symbols.push(Symbol { from: *from, to, constant: symbol.constant });
                for (at, (of, _)) in left.held.range(symbol.from..symbol.to) {
                    let at = at - symbol.from + from;
                    // Parts of the program have constants of their own.
                    if module.word(at).is_some() {
                        linked.held.insert(at, of.map_or(Held::Slot, Held::Symbol));
                    }
                }
            }
        }
        for held in linked.held.values_mut() {
            if let Held::Symbol(symbol) = held {
                *symbol = *numbers.get(symbol).context("a constant holds what is nowhere")?;
            }
        }
        for (old, offset) in left.instructions.values() {
            if let (Some(number), Some(Some(place))) = (numbers.get(old), places.get(*old)) {
                linked.meant.entry(place.wrapping_add(*offset)).or_default().insert(*number);
            }
        }
        Ok(linked)
    }
}

impl<'a> Left<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut left = Self::default();
        let mut relocations = Vec::new();
        let (mut sections, mut code, mut data) = (0, None, None);
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            let number = sections;
            sections += u32::from(payload.as_section().is_some());
            match payload {
                Payload::ImportSection(imports) => {
                    let functions = imports.into_imports().filter(|import| {
                        import.as_ref().is_ok_and(|import| matches!(import.ty, wasmparser::TypeRef::Func(_)))
                    });
                    left.imported = functions.count() as u32;
                }
                Payload::CodeSectionStart { range, .. } => code = Some((number, range.start)),
                Payload::CodeSectionEntry(body) => left.bodies.push(body),
                Payload::DataSection(section) => {
                    data = Some(number);
                    left.data(section)?;
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Linking(linking) => {
                        for part in linking.subsections() {
                            left.linking(part?)?;
                        }
                    }
                    KnownCustom::Reloc(section) => relocations.push(section),
                    KnownCustom::Name(names) => {
                        for name in names {
                            left.named(name?)?;
                        }
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        for symbol in &mut left.symbols {
            let inside = |segment: &Segment<'_>| {
                segment.address <= symbol.from && symbol.to <= segment.address + segment.bytes.len() as u32
            };
            symbol.constant =
                left.segments.iter().any(|segment| inside(segment) && segment.name.starts_with(CONSTANT));
        }
        for section in relocations {
            let of = section.section_index();
            for entry in section.entries() {
                let entry = entry?;
                match code {
                    Some((code, begin)) if of == code => left.instruction(entry, begin)?,
                    _ if Some(of) == data => left.holds(entry)?,
                    _ => {}
                }
            }
        }
        Ok(left)
    }

    fn data(&mut self, section: wasmparser::DataSectionReader<'a>) -> Result<()> {
        let begin = section.range().start;
        for data in section {
            let data = data?;
            let DataKind::Active { offset_expr, .. } = data.kind else {
                bail!("data that is not put in memory");
            };
            let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
                bail!("data at a place that is no number");
            };
            let at = (data.range.end - begin) as u32 - data.data.len() as u32;
            self.segments.push(Segment { address: value.cast_unsigned(), at, name: "", bytes: data.data });
        }
        Ok(())
    }

    fn linking(&mut self, part: Linking<'a>) -> Result<()> {
        match part {
            Linking::SegmentInfo(names) => {
                for (segment, named) in self.segments.iter_mut().zip(names) {
                    segment.name = named?.name;
                }
            }
            Linking::SymbolTable(symbols) => {
                for symbol in symbols {
                    let kind = match symbol? {
                        SymbolInfo::Func { index, .. } => Kind::Function(index),
                        SymbolInfo::Data { symbol: Some(place), .. } => {
                            let segment = self.segments.get(place.index as usize);
                            let from = segment.context("a symbol of no segment")?.address + place.offset;
                            self.symbols.push(Symbol { from, to: from + place.size, constant: false });
                            Kind::Data(self.symbols.len() - 1)
                        }
                        _ => Kind::Other,
                    };
                    self.kinds.push(kind);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn named(&mut self, names: Name<'a>) -> Result<()> {
        if let Name::Function(functions) = names {
            for naming in functions {
                let naming = naming?;
                self.names.insert(naming.index, spelled(naming.name));
            }
        }
        Ok(())
    }

    fn kind(&self, entry: RelocationEntry) -> Result<Kind> {
        // Types are no symbols.
        if entry.ty == RelocationType::TypeIndexLeb {
            return Ok(Kind::Other);
        }
        self.kinds.get(entry.index as usize).copied().context("a relocation of no symbol")
    }

    /// What an instruction has.
    fn instruction(&mut self, entry: RelocationEntry, begin: u64) -> Result<()> {
        use RelocationType::{MemoryAddrLeb, MemoryAddrSleb, TableIndexSleb};
        match (entry.ty, self.kind(entry)?) {
            (MemoryAddrLeb | MemoryAddrSleb, Kind::Data(symbol)) => {
                let offset = (entry.addend as i32).cast_unsigned();
                self.instructions.insert(begin + u64::from(entry.offset), (symbol, offset));
            }
            (TableIndexSleb, Kind::Function(function)) => {
                let name = self.names.get(&function).context("a function without a name")?;
                self.taken.insert(name.clone());
            }
            (_, Kind::Function(_) | Kind::Other) => {}
            (other, Kind::Data(_)) => bail!("instructions have {other:?}, which is not understood"),
        }
        Ok(())
    }

    /// What memory has.
    fn holds(&mut self, entry: RelocationEntry) -> Result<()> {
        let inside = |segment: &&Segment<'_>| {
            (segment.at..segment.at + segment.bytes.len() as u32).contains(&entry.offset)
        };
        let segment = self.segments.iter().find(inside).context("a relocation of no segment")?;
        let address = segment.address + (entry.offset - segment.at);
        let held = match (entry.ty, self.kind(entry)?) {
            (RelocationType::MemoryAddrI32, Kind::Data(symbol)) => {
                (Some(symbol), (entry.addend as i32).cast_unsigned())
            }
            (RelocationType::TableIndexI32, Kind::Function(_)) => (None, 0),
            (other, kind) => bail!("memory holds {kind:?} by {other:?}, which is not understood"),
        };
        self.held.insert(address, held);
        Ok(())
    }

    /// Where the symbols are in a program that was made of this one.
    fn places(&self, module: &Module<'_>) -> Result<Vec<Option<u32>>> {
        let mut places = vec![None; self.symbols.len()];
        let mut open = self.told(module)?;
        while let Some((symbol, place)) = open.pop() {
            let slot = places.get_mut(symbol).context("no such symbol")?;
            match slot {
                Some(known) if *known == place => continue,
                Some(known) => bail!("a constant is at {known:#x} and at {place:#x}"),
                None => *slot = Some(place),
            }
            let Symbol { from, to, .. } = *self.symbols.get(symbol).context("no such symbol")?;
            for (at, (held, offset)) in self.held.range(from..to) {
                if let (Some(held), Some(word)) = (held, module.word(at - from + place)) {
                    open.push((*held, word.wrapping_sub(*offset)));
                }
            }
        }
        for (symbol, place) in self.symbols.iter().zip(&places) {
            if let Some(place) = place {
                self.is_at(*symbol, *place, module)?;
            }
        }
        Ok(places)
    }

    /// What the instructions of the functions tell that are in both.
    fn told(&self, module: &Module<'_>) -> Result<Vec<(usize, u32)>> {
        let mut old: HashMap<&str, Vec<&FunctionBody<'_>>> = HashMap::new();
        for (function, body) in (self.imported..).zip(&self.bodies) {
            if let Some(name) = self.names.get(&function) {
                old.entry(name).or_default().push(body);
            }
        }
        let mut new: HashMap<&str, Vec<&FunctionBody<'_>>> = HashMap::new();
        for (function, name) in &module.names {
            if let Some(body) = module.defined(*function).and_then(|place| module.bodies.get(place)) {
                new.entry(name).or_default().push(body);
            }
        }
        let mut told = Vec::new();
        for (name, bodies) in new {
            let ([now], Some([then])) = (bodies.as_slice(), old.get(name).map(Vec::as_slice)) else {
                continue;
            };
            let mut now = now.get_operators_reader()?;
            let mut then = then.get_operators_reader()?;
            while !now.eof() && !then.eof() {
                let from = then.original_position();
                let (one, other) = (then.read()?, now.read()?);
                if discriminant(&one) != discriminant(&other) {
                    break;
                }
                let here = self.instructions.range(from..then.original_position()).next();
                if let (Some((_, (symbol, offset))), Some(number)) = (here, number(&other)) {
                    told.push((*symbol, number.wrapping_sub(*offset)));
                }
            }
        }
        Ok(told)
    }

    /// Fails if the program has something else there.
    fn is_at(&self, symbol: Symbol, place: u32, module: &Module<'_>) -> Result<()> {
        for address in symbol.from..symbol.to {
            let within = |segment: &Segment<'_>| {
                segment.bytes.get(address.checked_sub(segment.address)? as usize).copied()
            };
            let held = self.held.range(address.saturating_sub(3)..=address).next().is_some();
            let Some(now) = module.byte(place + (address - symbol.from)) else { continue };
            if !held && self.segments.iter().find_map(within).unwrap_or(0) != now {
                bail!("the constant of {address:#x} is not at {place:#x}");
            }
        }
        Ok(())
    }
}

/// A name as wasm-bindgen writes it.
fn spelled(name: &str) -> String {
    rustc_demangle::try_demangle(name).map_or_else(|_| name.to_owned(), |name| name.to_string())
}
