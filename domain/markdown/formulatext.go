package markdown

import (
	"strings"

	"golang.org/x/net/html"

	"inkfeed/domain/plaintext"
)

// maxSet is the number of bytes of a text's formulas that are set, in whole formulas from the first one on, and
// maxSetInComment that of a comment. Setting takes some microseconds per byte, and a text is rendered for every reader.
const (
	maxSet          = 10_000
	maxSetInComment = 1_000
)

// setFormula sets a formula, given with its marks, for a page. It reports to the author which ones cannot be set.
func (a *adapter) setFormula(typed string) (element string) {
	limit := maxSet
	switch a.about.purpose {
	case forFeed, forText:
		return ""
	case forComment, forBio:
		limit = maxSetInComment
	}
	typed = strings.TrimSpace(typed)
	tex, display := strings.CutPrefix(typed, "$$")
	if display {
		tex = strings.TrimSuffix(tex, "$$")
	} else {
		tex = strings.Trim(tex, "$")
	}
	inner := strings.Contains(strings.ReplaceAll(tex, `\$`, ""), "$") // a further mark, such as in $$$x$$
	if a.formulas += len(tex); a.formulas <= limit && !inner {
		if element, ok := a.budget.set(tex, display); ok {
			return element
		}
	}
	a.about.Unset = append(a.about.Unset, typed)
	return ""
}

// omittedFormula stands in a summary for a formula that has no form without marks.
const omittedFormula = "…"

// formulaText returns a formula, given with its marks, for a text without formulas: $\pi r^2$ is πr². Formulas that
// plain characters cannot express become omittedFormula.
func formulaText(typed string) string {
	rest := strings.TrimSpace(strings.Trim(strings.TrimSpace(typed), "$"))
	var b strings.Builder
	for rest != "" {
		sign, size := formulaSign(rest)
		if size == 0 {
			return omittedFormula
		}
		b.WriteString(sign)
		rest = rest[size:]
	}
	return plaintext.OneLine(b.String())
}

// formulaSign returns the plain form of the sign with which a formula begins, and its length in bytes; 0: it has none.
func formulaSign(rest string) (sign string, size int) {
	switch rest[0] {
	case '\\':
		end := 1
		for end < len(rest) && isLetter(rest[end]) {
			end++
		}
		if sign, ok := letterCommands[rest[1:end]]; ok {
			return sign, len(rest) - len(strings.TrimLeft(rest[end:], " "))
		}
		if sign, ok := operatorCommands[rest[1:end]]; ok {
			return sign, end
		}
		return "", 0
	case '^', '_':
		if len(rest) < 2 {
			return "", 0
		}
		if sign, ok := raised[rest[:2]]; ok {
			return sign, 2
		}
		return "", 0
	case '{', '}', '&', '#', '%', '$':
		return "", 0
	}
	return rest[:1], 1
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// letterCommands are commands for letters. The space after one only ends its name.
var letterCommands = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
	"sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
	"Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
	"Psi": "Ψ", "Omega": "Ω", "infty": "∞", "ell": "ℓ",
}

// operatorCommands are commands for signs between letters.
var operatorCommands = map[string]string{
	"cdot": "·", "times": "×", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠",
	"approx": "≈", "to": "→", "in": "∈", "dots": "…", "ldots": "…",
}

// raised are exponents and indices of one character.
var raised = map[string]string{
	"^0": "⁰", "^1": "¹", "^2": "²", "^3": "³", "^4": "⁴", "^5": "⁵", "^6": "⁶", "^7": "⁷", "^8": "⁸", "^9": "⁹",
	"^n": "ⁿ", "^i": "ⁱ", "_0": "₀", "_1": "₁", "_2": "₂", "_3": "₃", "_4": "₄", "_5": "₅", "_6": "₆", "_7": "₇",
	"_8": "₈", "_9": "₉",
}

// isFormula reports whether an element is a formula.
func isFormula(t html.Token) bool {
	for _, a := range t.Attr {
		if a.Key == "class" && a.Val == formulaClass {
			return true
		}
	}
	return false
}

// textWithin returns the text up to the end of an element whose start tag was read. A formula's text is its TeX.
func textWithin(tokenizer *html.Tokenizer) string {
	var b strings.Builder
	for open, silent := 1, false; open > 0; {
		switch tokenizer.Next() {
		case html.ErrorToken:
			return b.String()
		case html.TextToken:
			if !silent {
				b.Write(tokenizer.Text())
			}
		case html.StartTagToken:
			name, _ := tokenizer.TagName()
			silent = string(name) == "math" || silent && string(name) != "annotation"
			if !isVoid(string(name)) {
				open++
			}
		case html.EndTagToken:
			open--
		}
	}
	return b.String()
}

// isVoid reports whether an element in a text has no end tag.
func isVoid(element string) bool { return element == "br" || element == "hr" || element == "img" }
