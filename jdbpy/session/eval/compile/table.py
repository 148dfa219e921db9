"""The table of functions that compile expressions."""

from __future__ import annotations

from jdbpy.session.eval.compile import assign, calls, flow, functions, names, operators, sequences
from jdbpy.session.eval.compile.assign import compile_cast, compile_instance_of, compile_literal, compile_object_id
from jdbpy.session.eval.compile.compiler import CompileExpression
from jdbpy.session.eval.compile.shown import compile_shown
from jdbpy.session.eval.syntax import tree

EXPRESSIONS: dict[type[tree.Expression], CompileExpression] = {
    tree.Literal: compile_literal,
    tree.ShownNumber: compile_shown,
    tree.Name: names.compile_name,
    tree.ObjectId: compile_object_id,
    tree.Held: names.compile_held,
    tree.ExpressionList: sequences.compile_values,
    tree.Select: names.compile_select,
    tree.This: names.compile_this,
    tree.Super: sequences.compile_super,
    tree.ClassLiteral: calls.compile_class_literal,
    tree.Call: calls.compile_call,
    tree.New: calls.compile_new,
    tree.NewArray: calls.compile_new_array,
    tree.ArrayInit: sequences.compile_array_init,
    tree.Index: sequences.compile_index,
    tree.Slice: sequences.compile_slice,
    tree.Filter: sequences.compile_filter,
    tree.Unary: operators.compile_unary,
    tree.Update: assign.compile_update,
    tree.Binary: operators.compile_binary,
    tree.Conditional: operators.compile_conditional,
    tree.Assign: assign.compile_assign,
    tree.Cast: compile_cast,
    tree.InstanceOf: compile_instance_of,
    tree.Lambda: functions.compile_function,
    tree.MethodRef: functions.compile_function,
    tree.Switch: flow.compile_switch,
}
