//! Owns the first file: the module without what was moved, which stubs stand for. Refuses to move data.
//!
//! A stub has its function's type. It has the later file loaded if it is not there yet, and calls the function through
//! its slot of a table that both files share.

use std::convert::Infallible;

use anyhow::{Context, Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, Instruction, TableSection, TypeSection,
};
use wasmparser::{DataKind, ElementItems, ElementKind, ExternalKind, Operator};

use super::module::Module;
use super::plan::Plan;

/// The module and name of the import that loads the later file at once.
pub const LOAD: (&str, &str) = ("later", "load");

/// The export with the table between the files.
pub const TABLE: &str = "later";

/// Writes the first file.
pub fn file(module: &Module<'_>, plan: &Plan) -> Result<Vec<u8>> {
    let mut first = First::of(module, plan)?;
    let mut out = wasm_encoder::Module::new();
    let parser = wasmparser::Parser::new(0);
    first.parse_core_module(&mut out, parser, module.bytes).map_err(|error| anyhow!("{error}"))?;
    Ok(out.finish())
}

/// The name by which something of a module can be imported, also of what has none yet.
pub fn export_name(module: &Module<'_>, kind: ExternalKind, index: u32) -> String {
    let known = module.exports.iter().find(|(_, other, at)| (*other, *at) == (kind, index));
    known.map_or_else(|| format!("later_{kind:?}_{index}"), |(name, ..)| (*name).to_owned())
}

struct First<'a> {
    module: &'a Module<'a>,
    plan: &'a Plan,
    /// The functions that stay, as the file has them.
    order: Vec<u32>,
    /// The new number of each function by its old one; none for what is in the later file alone.
    numbers: Vec<Option<u32>>,
    /// The slots' types and numbers of parameters.
    stubs: Vec<(u32, u32)>,
    /// Whether what is read now is the table: it may refer to what is in the later file alone.
    placing: bool,
}

impl<'a> First<'a> {
    fn of(module: &'a Module<'a>, plan: &'a Plan) -> Result<Self> {
        let mut numbers: Vec<Option<u32>> = (0..module.imported()).map(Some).collect();
        numbers.resize(module.own().end as usize, None);
        let order: Vec<u32> = module.own().filter(|function| !plan.moves(*function)).collect();
        // The import that loads comes behind the others.
        let mut next = module.imported() + 1;
        for function in &order {
            *numbers.get_mut(*function as usize).context("no such function")? = Some(next);
            next += 1;
        }
        let mut stubs = Vec::new();
        for (slot, function) in (0..).zip(&plan.stubs) {
            *numbers.get_mut(*function as usize).context("a stub for no function")? = Some(next + slot);
            let ty = module.type_of(*function)?;
            let parameters = module.types.get(ty as usize).context("a function has no type")?.params().len();
            stubs.push((ty, parameters as u32));
        }
        Ok(Self { module, plan, order, numbers, stubs, placing: false })
    }

    fn table(&self) -> u32 {
        self.module.tables.len() as u32
    }

    /// The type of what loads: takes nothing, gives nothing.
    fn plain(&self) -> u32 {
        self.module.types.len() as u32
    }

    /// The number of the function that stands in slots that nothing reaches before the later file fills them.
    fn nobody(&self) -> u32 {
        self.ensure() + 1
    }

    /// The number of the function that loads the later file unless it is there: the last but one.
    fn ensure(&self) -> u32 {
        1 + self.module.imported()
            + (self.module.bodies.len() - self.plan.moved.len() + self.stubs.len()) as u32
    }
}

type Done = Result<(), Error<Infallible>>;

impl Reencode for First<'_> {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        // No instruction that stays refers to a function that has no number; the file would be refused.
        let none = if self.placing { self.nobody() } else { u32::MAX };
        Ok(self.numbers.get(function as usize).copied().flatten().unwrap_or(none))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Done {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Done {
        utils::parse_import_section(self, imports, section)?;
        imports.import(LOAD.0, LOAD.1, EntityType::Function(self.plain()));
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Done {
        let types: Vec<u32> = section.into_iter().collect::<Result<_, _>>()?;
        for function in &self.order {
            if let Some(ty) = self.module.defined(*function).and_then(|place| types.get(place)) {
                functions.function(*ty);
            }
        }
        for (ty, _) in &self.stubs {
            functions.function(*ty);
        }
        functions.function(self.plain()).function(self.plain());
        Ok(())
    }

    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        section: wasmparser::TableSectionReader<'_>,
    ) -> Done {
        utils::parse_table_section(self, tables, section)?;
        tables.table(self.plan.between());
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Done {
        utils::parse_export_section(self, exports, section)?;
        exports.export(TABLE, ExportKind::Table, self.table());
        let tables = (0..self.module.tables.len() as u32).map(|table| (ExternalKind::Table, table));
        let memories = (0..self.module.memories.len() as u32).map(|memory| (ExternalKind::Memory, memory));
        let globals = self.plan.globals.iter().map(|global| (ExternalKind::Global, *global));
        for (kind, index) in tables.chain(memories).chain(globals) {
            if !self.module.exports.iter().any(|(_, other, at)| (*other, *at) == (kind, index)) {
                exports.export(&export_name(self.module, kind, index), kind.into(), index);
            }
        }
        Ok(())
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        section: wasmparser::ElementSectionReader<'_>,
    ) -> Done {
        self.placing = true;
        for element in section {
            let element = element?;
            // Slots are empty until somebody fills them.
            if !only_empty(&element)? {
                utils::parse_element(self, elements, element)?;
            }
        }
        self.placing = false;
        let needed =
            self.plan.needed.iter().map(|function| self.numbers.get(*function as usize).copied().flatten());
        let needed: Vec<u32> = needed.flatten().collect();
        let from = ConstExpr::i32_const((self.plan.stubs.len() as u32).cast_signed());
        elements.active(Some(self.table()), &from, Elements::Functions(needed.into()));
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Done {
        let bodies = section.into_iter().collect::<wasmparser::Result<Vec<_>>>()?;
        for function in self.order.clone() {
            if let Some(body) = self.module.defined(function).and_then(|place| bodies.get(place)) {
                self.parse_function_body(code, body.clone())?;
            }
        }
        for (slot, (ty, parameters)) in self.stubs.iter().enumerate() {
            let mut stub = Function::new([]);
            stub.instruction(&Instruction::Call(self.ensure()));
            for parameter in 0..*parameters {
                stub.instruction(&Instruction::LocalGet(parameter));
            }
            stub.instruction(&Instruction::I32Const((slot as u32).cast_signed()));
            stub.instruction(&Instruction::CallIndirect { type_index: *ty, table_index: self.table() });
            code.function(stub.instruction(&Instruction::End));
        }
        let mut ensure = Function::new([]);
        ensure.instruction(&Instruction::I32Const(0));
        ensure.instruction(&Instruction::TableGet(self.table()));
        ensure.instruction(&Instruction::RefIsNull);
        ensure.instruction(&Instruction::If(BlockType::Empty));
        ensure.instruction(&Instruction::Call(self.module.imported()));
        ensure.instruction(&Instruction::End);
        code.function(ensure.instruction(&Instruction::End));
        let mut nobody = Function::new([]);
        code.function(nobody.instruction(&Instruction::Unreachable).instruction(&Instruction::End));
        Ok(())
    }

    fn parse_data(&mut self, data: &mut DataSection, datum: wasmparser::Data<'_>) -> Done {
        let DataKind::Active { memory_index: 0, offset_expr } = &datum.kind else {
            return utils::parse_data(self, data, datum);
        };
        let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
            return utils::parse_data(self, data, datum);
        };
        // Binaryen leaves long runs of zeros out.
        let mut bytes = datum.data.to_vec();
        for (_, place) in self.plan.within(value.cast_unsigned(), bytes.len()) {
            if let Some(moved) = bytes.get_mut(place) {
                moved.fill(0);
            }
        }
        data.active(0, &ConstExpr::i32_const(value), bytes);
        Ok(())
    }

    /// Names are for the cut alone.
    fn parse_custom_section(
        &mut self,
        module: &mut wasm_encoder::Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Done {
        if section.name() == "name" { Ok(()) } else { utils::parse_custom_section(self, module, section) }
    }
}

/// Whether it fills slots with nothing.
fn only_empty(element: &wasmparser::Element<'_>) -> wasmparser::Result<bool> {
    let (ElementKind::Active { .. }, ElementItems::Expressions(_, list)) = (&element.kind, &element.items)
    else {
        return Ok(false);
    };
    for expression in list.clone() {
        if !matches!(expression?.get_operators_reader().read()?, Operator::RefNull { .. }) {
            return Ok(false);
        }
    }
    Ok(true)
}
