//! Owns reading a part of a program that wasm-split has cut. Refuses what such parts never have: exports, a start, a
//! memory, table or global of their own.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use wasmparser::{
    ConstExpr, DataKind, Element, ElementItems, ElementKind, FuncType, FunctionBody, Import, KnownCustom,
    Name, Operator, Parser, Payload,
};

/// A part of a cut program, read.
pub struct Part<'a> {
    pub types: Vec<FuncType>,
    pub imports: Vec<Import<'a>>,
    /// The type of each function.
    pub functions: Vec<u32>,
    pub bodies: Vec<FunctionBody<'a>>,
    /// Functions by their slot in the shared table.
    pub slots: BTreeMap<u32, u32>,
    /// Bytes that are not zero, by address.
    pub data: Vec<(u32, &'a [u8])>,
    /// Whether all of it stays as it is while the program runs.
    constant: bool,
}

impl<'a> Part<'a> {
    pub fn read(wasm: &'a [u8]) -> Result<Self> {
        let mut part = Self {
            types: Vec::new(),
            imports: Vec::new(),
            functions: Vec::new(),
            bodies: Vec::new(),
            slots: BTreeMap::new(),
            data: Vec::new(),
            constant: true,
        };
        let mut segments = Vec::new();
        let mut names = HashMap::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => {
                    part.types = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?;
                }
                Payload::ImportSection(section) => {
                    part.imports = section.into_imports().collect::<Result<_, _>>()?;
                }
                Payload::FunctionSection(section) => {
                    part.functions = section.into_iter().collect::<Result<_, _>>()?;
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        part.fill_slots(element?)?;
                    }
                }
                Payload::CodeSectionEntry(body) => part.bodies.push(body),
                Payload::DataSection(section) => {
                    for segment in section {
                        let segment = segment?;
                        let DataKind::Active { memory_index: 0, offset_expr } = segment.kind else {
                            bail!("data that is not put in memory");
                        };
                        segments.push((constant(&offset_expr)?, segment.data));
                    }
                }
                Payload::CustomSection(section) if section.name() == "name" => {
                    names.extend(data_names(&section));
                }
                Payload::Version { .. }
                | Payload::CodeSectionStart { .. }
                | Payload::DataCountSection { .. }
                | Payload::CustomSection(_)
                | Payload::End(_) => {}
                Payload::ExportSection(section) if section.count() == 0 => {}
                Payload::GlobalSection(section) if section.count() == 0 => {}
                Payload::TableSection(section) if section.count() == 0 => {}
                Payload::MemorySection(section) if section.count() == 0 => {}
                other => bail!("a part has what it should not: {other:?}"),
            }
        }
        // Memory is zero before anybody writes to it.
        for (index, (address, bytes)) in segments.into_iter().enumerate() {
            if bytes.iter().any(|byte| *byte != 0) {
                part.constant &= names.get(&index).is_some_and(|name| name.starts_with(".rodata"));
                part.data.push((address, bytes));
            }
        }
        Ok(part)
    }

    /// Whether it may come twice: the second time changes nothing.
    pub fn is_constant(&self) -> bool {
        self.constant
    }

    fn fill_slots(&mut self, element: Element<'_>) -> Result<()> {
        let ElementKind::Active { table_index: None | Some(0), offset_expr } = element.kind else {
            bail!("functions that are not put in the table");
        };
        let ElementItems::Functions(functions) = element.items else {
            bail!("table entries that are no functions");
        };
        for (slot, function) in (constant(&offset_expr)?..).zip(functions) {
            self.slots.insert(slot, function?);
        }
        Ok(())
    }

    /// The slot of the shared table that a function only calls, with what it was given.
    pub fn forwards_to(&self, function: usize) -> Result<Option<u32>> {
        let (Some(body), Some(kind)) = (self.bodies.get(function), self.functions.get(function)) else {
            return Ok(None);
        };
        if body.get_locals_reader()?.get_count() > 0 {
            return Ok(None);
        }
        let given = self.types.get(*kind as usize).map_or(0, |kind| kind.params().len());
        let mut operators = body.get_operators_reader()?;
        for wanted in 0..given {
            match operators.read()? {
                Operator::LocalGet { local_index } if local_index as usize == wanted => {}
                _ => return Ok(None),
            }
        }
        let Operator::I32Const { value } = operators.read()? else {
            return Ok(None);
        };
        match operators.read()? {
            Operator::CallIndirect { type_index, table_index: 0 } if type_index == *kind => {}
            _ => return Ok(None),
        }
        let ends = matches!(operators.read()?, Operator::End);
        Ok(ends.then_some(value.cast_unsigned()))
    }
}

/// As far as they can be read: the section has parts that readers know nothing of.
fn data_names<'a>(section: &wasmparser::CustomSectionReader<'a>) -> Vec<(usize, &'a str)> {
    let KnownCustom::Name(kinds) = section.as_known() else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for kind in kinds.into_iter().map_while(Result::ok) {
        if let Name::Data(map) = kind {
            names.extend(map.into_iter().map_while(Result::ok).map(|one| (one.index as usize, one.name)));
        }
    }
    names
}

/// The number of `i32.const`.
fn constant(expression: &ConstExpr<'_>) -> Result<u32> {
    let mut operators = expression.get_operators_reader();
    match operators.read()? {
        Operator::I32Const { value } => Ok(value.cast_unsigned()),
        other => bail!("a place that is no number: {other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_while_the_program_runs_is_not_constant() {
        let constant = |data: &str| {
            let wasm =
                wat::parse_str(format!(r#"(module (import "m" "memory" (memory 1)) {data})"#)).unwrap();
            Part::read(&wasm).unwrap().is_constant()
        };
        assert!(constant(r#"(data $.rodata_3 (i32.const 8) "x") (data $.data (i32.const 16) "\00")"#));
        assert!(!constant(r#"(data $.rodata (i32.const 8) "x") (data $.data (i32.const 16) "x")"#));
        assert!(!constant(r#"(data (i32.const 8) "x")"#), "nothing says what it is");
    }
}
