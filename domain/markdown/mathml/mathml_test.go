package mathml_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/markdown/mathml"
)

const enough = 2 * time.Second // for each formula, on a busy machine

// inner returns the content of a formula's element without rows around it and without attributes.
func inner(t *testing.T, tex string) string {
	t.Helper()
	element, ok := mathml.Set(tex, false, enough)
	if !ok {
		return "as typed"
	}
	element, _, _ = strings.Cut(element, "<annotation")
	element = regexp.MustCompile(` [a-z]+="[^"]*"`).ReplaceAllString(element, "")
	return strings.TrimSuffix(strings.TrimPrefix(element, "<math><semantics><mrow>"), "</mrow>")
}

func TestFormulasAreSet(t *testing.T) {
	for tex, want := range map[string]string{
		`x^2`:                  "<msup><mi>x</mi><mn>2</mn></msup>",
		`x^12`:                 "<msup><mi>x</mi><mn>1</mn></msup><mn>2</mn>",
		`x_{10}`:               "<msub><mi>x</mi><mn>10</mn></msub>",
		`\frac12`:              "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
		`\frac{a}{}`:           "<mfrac><mi>a</mi><mrow></mrow></mfrac>",
		`\sqrt[3]{x}`:          "<mroot><mi>x</mi><mn>3</mn></mroot>",
		`n\log n`:              "<mi>n</mi><mo>log</mo><mi>n</mi>",
		`\operatorname{sgn} x`: "<mo>sgn</mo><mi>x</mi>",
		`\text{a < b & c}`:     "<mtext>a\u00a0&lt;\u00a0b\u00a0&amp;\u00a0c</mtext>",
		`[0,1)`:                "<mo>[</mo><mn>0</mn><mo>,</mo><mn>1</mn><mo>)</mo>",
		`\sum\limits_i x`:      "<mrow><munder><mo>∑</mo><mi>i</mi></munder></mrow><mi>x</mi>",
		`a~b`:                  "<mi>a</mi><mspace></mspace><mi>b</mi>",
		`\begin{gather}a\\b\end{gather}`: "<mtable><mtr><mtd><mi>a</mi></mtd></mtr>" +
			"<mtr><mtd><mi>b</mi></mtd></mtr></mtable>",
		`\begin{equation}a\label{b}\end{equation}`: "<mi>a</mi>",
	} {
		if got := inner(t, tex); got != want {
			t.Errorf("%s is set as %s, want %s", tex, got, want)
		}
	}
	got, _ := mathml.Set("a", true, enough)
	if got != `<math display="block"><semantics><mrow><mi>a</mi></mrow>`+
		`<annotation encoding="application/x-tex">$$a$$</annotation></semantics></math>` {
		t.Errorf("a block is set as %s", got)
	}
}

// A formula that the library would set wrongly, without end or not at all is left as it was typed.
func TestFormulasThatCannotBeSet(t *testing.T) {
	for _, tex := range append(crossing, "", " ", `\;`, `{`, `}`, `a\\b`, `\unknown`, `\cancel{x}`,
		`\mathop{\mathrm{a}}`,
		`\text{$a$}`, `\begin{array}{c|c}1&2\end{array}`, `\begin{tikzcd}a\end{tikzcd}`,
		`\begin{vmatrix}a\end{vmatrix}`,
		`\def\a{\b}\def\b{\a}\a`, `\newcommand{\a}{\b}\newcommand{\b}{\a}\a`, `\sideset{{a}}{}{b}`, `\ce{{$a}}`,
		`\class{a"b}{x}`, `\varlimsup x`,
		strings.Repeat(`\sqrt{`, 500)+"a"+strings.Repeat("}", 500),
		strings.Repeat("{", 2000)+strings.Repeat("}", 2000),
		strings.Repeat(`\frac`, 800), strings.Repeat(`\left(`, 400)+strings.Repeat(`\right)`, 400),
		strings.Repeat("x", mathml.MaxTeX+1)) {
		if got, ok := mathml.Set(tex, false, enough); ok {
			t.Errorf("%.100q is set as %.100s", tex, got)
		}
	}
}

// crossing are formulas of which the library reads a part again at each level, so twice as often with each.
var crossing = func() []string {
	const levels = 40
	repeat := func(tex string) string { return strings.Repeat(tex, levels) }
	return []string{
		"{" + repeat(`\left(`) + "x}" + repeat(`\right)`),
		"{" + repeat(`\begin{matrix}`) + "x}" + repeat(`\end{matrix}`),
		repeat(`\bf\left[`) + "x" + repeat(`\right]&`),
		repeat(`\bf\left\{`) + "x" + repeat(`\right\}\cr `),
		repeat(`\displaystyle\begin{matrix}`) + `x\\` + repeat(`\end{matrix}`),
	}
}()

// commented is a formula with comments, at which the library would do the same.
var commented = strings.Repeat("{\\bf%\n%\n}{", 40) + "x" + strings.Repeat("}", 40)

func TestCommentsAreLeftOut(t *testing.T) {
	if got := inner(t, "a% b}\n\\% c %d"); got != "<mi>a</mi><mo>%</mo><mi>c</mi>" {
		t.Errorf("a formula with a comment is set as %s", got)
	}
	if _, ok := mathml.Set(commented, false, enough); !ok {
		t.Error("a formula with many comments is not set")
	}
}

func FuzzSet(f *testing.F) {
	for _, tex := range append(crossing, commented) {
		f.Add(tex)
	}
	for _, tex := range []string{`\frac{a}{b}`, `\left( \begin{pmatrix}a & b\\ c & d\end{pmatrix} \middle| x \right]`,
		`\sum\limits_{\substack{i<n\\j}}^n \text{if } x' \quad \over \choose \atop`,
		`\begin{cases}1 & x<0\\[2em] 2\end{cases}`,
		`\hat{\mathbb R} \overset{a}{=} \underbrace{a}_{n} \prescript{1}{2}{C} \not= \not{ab} \color{red} x \rm d`,
		`\bigl( \Biggr] \textcolor{"><b>}{x} \mathrm{a} \pmod{n} \sqrt[3]{x} \binom nk % a`,
		`\left. \right\} #1 ~ $ \|`,
		`\begin{array}{lcr}a&b\end{array} \begin{aligned}a&=b\end{aligned} \begin{align*}[a]\end{align*}`} {
		f.Add(tex)
	}
	f.Fuzz(func(t *testing.T, tex string) {
		element, ok := mathml.Set(tex, true, enough)
		if mathml.Unfinished() {
			t.Fatalf("%q takes too long", tex)
		}
		if !ok {
			return
		}
		if len(element) > 70<<10 {
			t.Errorf("%q has %d bytes", tex, len(element))
		}
		if again, _ := mathml.Set(tex, true, enough); again != element {
			t.Errorf("%q is set as %s, then as %s", tex, element, again)
		}
		d := xml.NewDecoder(strings.NewReader(element))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatalf("%q is set as %s: %v", tex, element, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				if _, known := mathml.Elements[start.Name.Local]; !known {
					t.Errorf("%q is set as %s", tex, element)
				}
			}
		}
	})
}

func BenchmarkSet(b *testing.B) {
	const tex = `f(x)=\begin{cases}\frac{1}{2}\sum_{i=0}^n i^2 & x<0\\ \int_0^1 g(t)\,dt & \text{otherwise}\end{cases}`
	b.SetBytes(int64(len(tex)))
	for b.Loop() {
		if _, ok := mathml.Set(tex, true, enough); !ok {
			b.Fatal("not set")
		}
	}
}
