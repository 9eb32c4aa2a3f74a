package markdown_test

import (
	"testing"

	"inkfeed/domain/markdown"
)

func TestSummariesHaveNoMarksOfFormulas(t *testing.T) {
	m := markdown.New()
	for source, want := range map[string]string{
		`The radius $r$ and the area $\pi r^2$.`:   "The radius r and the area πr².",
		`Then $x_1 \le y$ and $a \cdot b$.`:        "Then x₁ ≤ y and a · b.",
		`Here $\frac{a}{b}$ is, or $x^{10}$.`:      "Here … is, or ….",
		"Then\n\n$$\ne^{i\\pi} + 1 = 0\n$$\n\nso.": "Then so.",
		"$$\na < b\n$$":        "a < b",
		"$$\n\\int_0^1 x\n$$":  "…",
		"It costs 5 $ or 6 $.": "It costs 5 $ or 6 $.",
		"Děti a $čas$ běží.":   "Děti a čas běží.",
	} {
		if got := m.Text(source, 200); got != want {
			t.Errorf("the summary of %q is %q, want %q", source, got, want)
		}
	}
}
