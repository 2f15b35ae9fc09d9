//! Owns the later file: the functions and constants that were moved, over the memory and the tables of the first one. Refuses to have
//! anything of its own, so that it does not matter when it comes.

use std::convert::Infallible;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, FunctionSection,
    ImportSection, TypeSection,
};
use wasmparser::ExternalKind;

use super::first::{TABLE, export_name};
use super::module::Module;
use super::plan::Plan;

/// The module of the imports that are exports of the first file.
pub const FIRST: &str = "first";

/// The module of the functions in the table between the files, by their slots.
pub const STAYED: &str = "stayed";

/// The module of the functions in the program's own table, by their slots.
pub const PLACED: &str = "placed";

/// Writes the later file.
pub fn file(module: &Module<'_>, plan: &Plan) -> Result<Vec<u8>> {
    write(module, plan).map_err(|error| anyhow!("{error}"))
}

fn write(module: &Module<'_>, plan: &Plan) -> Result<Vec<u8>, Error<anyhow::Error>> {
    let mut later = Later::of(module, plan);
    let mut types = TypeSection::new();
    for ty in &module.types {
        types.ty().func_type(&later.func_type(ty.clone())?);
    }
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for function in later.moved.clone() {
        functions.function(module.type_of(function).map_err(Error::UserError)?);
        if let Some(body) = module.defined(function).and_then(|place| module.bodies.get(place)) {
            later.parse_function_body(&mut code, body.clone())?;
        }
    }
    let mut out = wasm_encoder::Module::new();
    out.section(&types).section(&later.imports()?).section(&functions);
    out.section(&later.elements()?).section(&code).section(&data(module, plan));
    Ok(out.finish())
}

/// The constants that moved. That they may be put in place twice changes nothing.
fn data(module: &Module<'_>, plan: &Plan) -> DataSection {
    let mut data = DataSection::new();
    for (address, bytes) in &module.data {
        for (from, place) in plan.within(*address, bytes.len()) {
            let moved = bytes.get(place).unwrap_or_default();
            // Memory is zero before anybody writes to it.
            if moved.iter().any(|byte| *byte != 0) {
                data.active(0, &ConstExpr::i32_const(from.cast_signed()), moved.iter().copied());
            }
        }
    }
    data
}

struct Later<'a> {
    module: &'a Module<'a>,
    plan: &'a Plan,
    /// Old numbers of functions in the order of the new ones.
    functions: Vec<u32>,
    /// Those of them that are in this file.
    moved: Vec<u32>,
}

impl<'a> Later<'a> {
    fn of(module: &'a Module<'a>, plan: &'a Plan) -> Self {
        let moved = plan.moved.clone();
        let placed = plan.placed.iter().map(|(function, _)| function);
        let functions =
            plan.imports.iter().chain(&plan.needed).chain(placed).chain(&moved).copied().collect();
        Self { module, plan, functions, moved }
    }

    fn imports(&mut self) -> Result<ImportSection, Error<anyhow::Error>> {
        let mut imports = ImportSection::new();
        for function in &self.plan.imports {
            let import = self
                .module
                .imports
                .get(*function as usize)
                .context("no such import")
                .map_err(Error::UserError)?;
            imports.import(import.module, import.name, EntityType::Function(import.ty));
        }
        for (slot, function) in (self.plan.stubs.len()..).zip(&self.plan.needed) {
            let ty = self.module.type_of(*function).map_err(Error::UserError)?;
            imports.import(STAYED, &slot.to_string(), EntityType::Function(ty));
        }
        for (function, slot) in &self.plan.placed {
            let ty = self.module.type_of(*function).map_err(Error::UserError)?;
            imports.import(PLACED, &slot.to_string(), EntityType::Function(ty));
        }
        for (index, memory) in (0..).zip(&self.module.memories) {
            let name = export_name(self.module, ExternalKind::Memory, index);
            imports.import(
                FIRST,
                &name,
                EntityType::Memory(RoundtripReencoder.memory_type(*memory).map_err(plain)?),
            );
        }
        for (index, table) in (0..).zip(&self.module.tables) {
            let name = export_name(self.module, ExternalKind::Table, index);
            imports.import(
                FIRST,
                &name,
                EntityType::Table(RoundtripReencoder.table_type(*table).map_err(plain)?),
            );
        }
        imports.import(FIRST, TABLE, EntityType::Table(self.plan.between()));
        for index in &self.plan.globals {
            let global = self
                .module
                .globals
                .get(*index as usize)
                .context("no such global")
                .map_err(Error::UserError)?;
            let name = export_name(self.module, ExternalKind::Global, *index);
            imports.import(
                FIRST,
                &name,
                EntityType::Global(RoundtripReencoder.global_type(*global).map_err(plain)?),
            );
        }
        Ok(imports)
    }

    /// Puts the functions where they are looked for: into their slots, and in the place of their stubs.
    fn elements(&mut self) -> Result<ElementSection, Error<anyhow::Error>> {
        let (module, plan) = (self.module, self.plan);
        let mut elements = ElementSection::new();
        let mut put =
            |later: &mut Self, table: u32, offset: u32, run: &[u32]| -> Result<(), Error<anyhow::Error>> {
                let run: Vec<u32> =
                    run.iter().map(|function| later.function_index(*function)).collect::<Result<_, _>>()?;
                let from = ConstExpr::i32_const(offset.cast_signed());
                elements.active(Some(table), &from, Elements::Functions(run.into()));
                Ok(())
            };
        for placed in &module.placed {
            let mut offset = placed.offset;
            for run in placed.functions.chunk_by(|one, next| plan.moves(*one) == plan.moves(*next)) {
                if run.first().is_some_and(|function| plan.moves(*function)) {
                    put(self, placed.table, offset, run)?;
                }
                offset += run.len() as u32;
            }
        }
        put(self, module.tables.len() as u32, 0, &plan.stubs)?;
        Ok(elements)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "as `map_err` has it")]
fn plain(error: Error<Infallible>) -> Error<anyhow::Error> {
    Error::UserError(anyhow!("{error}"))
}

impl Reencode for Later<'_> {
    type Error = anyhow::Error;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<anyhow::Error>> {
        let number = self.functions.iter().position(|old| *old == function);
        number
            .map(|number| number as u32)
            .context("a function that is in neither file")
            .map_err(Error::UserError)
    }

    fn global_index(&mut self, global: u32) -> Result<u32, Error<anyhow::Error>> {
        let number = self.plan.globals.iter().position(|old| *old == global);
        number
            .map(|number| number as u32)
            .context("a global that is in neither file")
            .map_err(Error::UserError)
    }
}
