//! Owns reading a wasm module: what the cut has to know of it. Refuses what our linker never makes: a module that
//! imports something else than functions.

use std::collections::BTreeSet;
use std::convert::Infallible;

use anyhow::{Context, Result, bail};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasmparser::{
    CodeSectionReader, DataKind, ElementItems, ElementKind, ExternalKind, FuncType, FunctionBody, GlobalType,
    MemArg, MemoryType, Name, Operator, Parser, Payload, TableType, TypeRef,
};

/// A function that comes from JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Import<'a> {
    /// Where it comes from.
    pub module: &'a str,
    /// What it is called there.
    pub name: &'a str,
    /// Its type's index.
    pub ty: u32,
}

/// Functions that stand in a table from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The table's index.
    pub table: u32,
    /// The first one's place.
    pub offset: u32,
    /// What stands there.
    pub functions: Vec<u32>,
}

/// What one function needs.
#[derive(Debug, Default)]
pub struct Needs {
    /// Functions that it calls or takes the address of.
    pub functions: BTreeSet<u32>,
    /// Globals that it reads or writes.
    pub globals: BTreeSet<u32>,
    /// Numbers in it that may be addresses or slots.
    pub numbers: BTreeSet<u32>,
    /// Whether it uses segments, which are numbered by module.
    pub segments: bool,
}

/// A module, read; everything in it is numbered as in the file.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// The file.
    pub bytes: &'a [u8],
    /// The types, all of functions.
    pub types: Vec<FuncType>,
    /// The functions that come first in the numbering.
    pub imports: Vec<Import<'a>>,
    /// The types of the functions behind them.
    pub functions: Vec<u32>,
    /// The tables.
    pub tables: Vec<TableType>,
    /// The memories.
    pub memories: Vec<MemoryType>,
    /// The globals.
    pub globals: Vec<GlobalType>,
    /// Names by which JavaScript knows things: kind and number of each.
    pub exports: Vec<(&'a str, ExternalKind, u32)>,
    /// What is run when the module is there.
    pub start: Option<u32>,
    /// Segments of tables that are filled when the module is there.
    pub placed: Vec<Placed>,
    /// Functions in the other segments of tables.
    pub kept: BTreeSet<u32>,
    /// The bodies, in the order of `functions`.
    pub bodies: Vec<FunctionBody<'a>>,
    /// What is put in memory, by address.
    pub data: Vec<(u32, &'a [u8])>,
    /// What each of them needs.
    pub needs: Vec<Needs>,
    /// The name section's words for functions, and their numbers.
    pub names: Vec<(u32, &'a str)>,
}

impl<'a> Module<'a> {
    /// Reads a module.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut module = Self { bytes, ..Self::default() };
        for payload in Parser::new(0).parse_all(bytes) {
            module.take(payload?)?;
        }
        Ok(module)
    }

    fn take(&mut self, payload: Payload<'a>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for ty in types.into_iter_err_on_gc_types() {
                    self.types.push(ty?);
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    let TypeRef::Func(ty) = import.ty else {
                        bail!("it imports {}, no function", import.name)
                    };
                    self.imports.push(Import { module: import.module, name: import.name, ty });
                }
            }
            Payload::FunctionSection(functions) => {
                self.functions = functions.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty);
                }
            }
            Payload::MemorySection(memories) => {
                self.memories = memories.into_iter().collect::<Result<_, _>>()?;
            }
            Payload::GlobalSection(globals) => {
                for global in globals {
                    self.globals.push(global?.ty);
                }
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    self.exports.push((export.name, export.kind, export.index));
                }
            }
            Payload::StartSection { func, .. } => self.start = Some(func),
            Payload::ElementSection(elements) => {
                for element in elements {
                    self.element(element?)?;
                }
            }
            Payload::DataSection(segments) => {
                for segment in segments {
                    let segment = segment?;
                    if let DataKind::Active { offset_expr, .. } = segment.kind
                        && let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
                    {
                        self.data.push((value.cast_unsigned(), segment.data));
                    }
                }
            }
            Payload::CodeSectionStart { range, .. } => {
                let section =
                    self.bytes.get(range.start as usize..range.end as usize).context("it ends early")?;
                for body in CodeSectionReader::new(wasmparser::BinaryReader::new(section, range.start))? {
                    let body = body?;
                    self.needs.push(needs(&body)?);
                    self.bodies.push(body);
                }
            }
            Payload::CustomSection(section) => {
                if let wasmparser::KnownCustom::Name(names) = section.as_known() {
                    for name in names {
                        if let Name::Function(functions) = name? {
                            for naming in functions {
                                let naming = naming?;
                                self.names.push((naming.index, naming.name));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn element(&mut self, element: wasmparser::Element<'a>) -> Result<()> {
        let mut functions = Vec::new();
        match element.items {
            ElementItems::Functions(list) => {
                for function in list {
                    functions.push(function?);
                }
            }
            ElementItems::Expressions(_, list) => {
                for expression in list {
                    for operator in expression?.get_operators_reader() {
                        if let Operator::RefFunc { function_index } = operator? {
                            functions.push(function_index);
                        }
                    }
                }
                self.kept.extend(functions);
                return Ok(());
            }
        }
        if let ElementKind::Active { table_index, offset_expr } = element.kind
            && let Operator::I32Const { value } = offset_expr.get_operators_reader().read()?
        {
            self.placed.push(Placed { table: table_index.unwrap_or(0), offset: value as u32, functions });
        } else {
            self.kept.extend(functions);
        }
        Ok(())
    }

    /// How many functions come from JavaScript: the number of the first one that does not.
    pub fn imported(&self) -> u32 {
        self.imports.len() as u32
    }

    /// The place of a function among those that are in the file.
    pub fn defined(&self, function: u32) -> Option<usize> {
        function.checked_sub(self.imported()).map(|place| place as usize)
    }

    /// The number of a function's type.
    pub fn type_of(&self, function: u32) -> Result<u32> {
        let found = match self.defined(function) {
            Some(place) => self.functions.get(place).copied(),
            None => self.imports.get(function as usize).map(|import| import.ty),
        };
        found.context("a function has no type")
    }

    /// What stands in the first table, by slot.
    pub fn slots(&self) -> impl Iterator<Item = (u32, u32)> {
        let placed = self.placed.iter().filter(|placed| placed.table == 0);
        placed.flat_map(|placed| (placed.offset..).zip(placed.functions.iter().copied()))
    }

    /// What is at an address when the program starts.
    pub fn byte(&self, address: u32) -> Option<u8> {
        let inside =
            |(from, bytes): &(u32, &'a [u8])| bytes.get(address.checked_sub(*from)? as usize).copied();
        self.data.iter().find_map(inside)
    }

    /// The number at an address.
    pub fn word(&self, address: u32) -> Option<u32> {
        let inside = |(from, bytes): &(u32, &'a [u8])| {
            let at = address.checked_sub(*from)? as usize;
            bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
        };
        self.data.iter().find_map(inside)
    }

    /// The numbers of the functions that are in the file.
    pub fn own(&self) -> std::ops::Range<u32> {
        let first = self.imported();
        first..first + self.bodies.len() as u32
    }
}

fn needs(body: &FunctionBody<'_>) -> Result<Needs> {
    let mut needs = Needs { numbers: numbers(body)?, ..Needs::default() };
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => {
                needs.functions.insert(function_index);
            }
            Operator::GlobalGet { global_index } | Operator::GlobalSet { global_index } => {
                needs.globals.insert(global_index);
            }
            Operator::MemoryInit { .. }
            | Operator::DataDrop { .. }
            | Operator::TableInit { .. }
            | Operator::ElemDrop { .. } => needs.segments = true,
            _ => {}
        }
    }
    Ok(needs)
}

/// The numbers in a function that may be addresses or slots of a table.
pub fn numbers(body: &FunctionBody<'_>) -> Result<BTreeSet<u32>> {
    let mut found = BTreeSet::new();
    for operator in body.get_operators_reader()? {
        found.extend(number(&operator?));
    }
    Ok(found)
}

/// The number in an instruction that may be an address or a slot.
pub fn number(operator: &Operator<'_>) -> Option<u32> {
    if let Operator::I32Const { value } = operator {
        return Some(value.cast_unsigned());
    }
    let mut offset = Offset::default();
    // Other things that it may refer to are not looked at.
    let _ = offset.instruction(operator.clone());
    offset.0
}

/// Sees the offset of an instruction that uses the memory.
#[derive(Default)]
struct Offset(Option<u32>);

impl Reencode for Offset {
    type Error = Infallible;

    fn mem_arg(&mut self, arg: MemArg) -> Result<wasm_encoder::MemArg, Error<Infallible>> {
        self.0 = Some(arg.offset as u32);
        utils::mem_arg(self, arg)
    }
}
