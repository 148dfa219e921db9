"""A class whose code the JVM itself changes when it is redefined."""

from __future__ import annotations

from tests.harness import Jvm, debug, inline

MANY_CONSTANTS = "".join(f'static String s{at}() {{ return "constant {at}"; }}' for at in range(150))

NOT_A_NUMBER = inline(f"""
    class T {{
        public static void main(String[] args) {{
            int sum = 0;
            for (int i = 1; i <= 300; i++) {{
                sum = Sums.add(sum, i);
            }}
            System.out.println("sum " + sum + " " + Sums.nothing(0));
        }}
    }}
    class Sums {{
        static float nothing(int number) {{
            return number == 0 ? Float.NaN : number;
        }}
        static int add(int sum, int number) {{
            return sum + number; // @add
        }}
        {MANY_CONSTANTS}
    }}""")


async def test_a_class_that_the_jvm_itself_changes_is_left_alone(jvm: Jvm) -> None:
    """It takes a constant NaN for a new one at each redefinition, behind so many that it needs a longer instruction."""
    async with debug(jvm, NOT_A_NUMBER) as d:
        await d.session.breakpoints.add(d.at("add", "Sums"), condition="number == 250", woven=True)
        await d.resume()
        await d.wait_stop("breakpoint", at="add")
        [shown] = d.session.breakpoints.list()
        why = "the JVM changes its code when it is redefined: it has a constant Float.NaN"
        assert (shown.in_target, shown.ordinary) == (False, why)
        assert (await d.session.values.evaluate("number")).text == "250"
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.target.wait_output("sum 45150 NaN")
        await d.wait_exit()
