package portable

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// Problem reports something in an export that was not kept, or was changed.
type Problem struct {
	Where string // the post, or empty for the whole export
	// Kind is the text without its particulars. Problems of one kind have the same Kind.
	Kind string
	Text string
	// Particulars are the parts of the text that Kind omits: names, numbers, addresses.
	Particulars string
	// Message and KindMessage are Text and Kind for pages, which translate them.
	Message, KindMessage locale.Message
}

// Reason is an argument of NewProblem that stays in the kind, as errors and messages do.
type Reason string

// Particular is an argument of NewProblem that the kind omits, but that pages translate. Name stands for it in lists of
// examples, which are not translated.
type Particular struct {
	Message locale.Message
	Name    string
}

// String returns the message in English.
func (p Particular) String() string { return p.Message.String() }

// elision replaces an argument that the kind omits.
const elision = "…"

// particular is elision for each verb of a format.
type particular struct{}

func (particular) Format(s fmt.State, _ rune) { io.WriteString(s, elision) }

// NewProblem formats a problem. Its kind is the text with an ellipsis for each argument, except errors, messages and
// values of the type Reason. The translatable text is that of locale.FromFormat.
func NewProblem(where, format string, args ...any) Problem {
	p := Problem{Where: where, Text: fmt.Sprintf(format, args...)}
	var elided []any
	var particulars []string
	text, slots := locale.FromFormat(format)
	p.Message, p.KindMessage = locale.M(text), locale.M(text)
	for i, arg := range args {
		var shown any = fmt.Sprint(arg)
		switch arg := arg.(type) {
		case error:
			elided, shown = append(elided, arg), Explain(arg)
		case Reason:
			elided = append(elided, arg)
		case locale.Message:
			elided, shown = append(elided, arg), arg
		case Particular:
			elided, shown = append(elided, particular{}), arg.Message
			particulars = append(particulars, arg.Name)
		default:
			elided = append(elided, particular{})
			particulars = append(particulars, fmt.Sprint(arg))
		}
		if i >= len(slots) {
			continue
		}
		kind := shown
		if _, isElided := elided[i].(particular); isElided {
			kind = elision
		}
		switch arg := arg.(type) {
		case int:
			shown = arg
		case string:
			shown = arg
			if slots[i].Quoted {
				shown = strconv.Quote(arg)
			}
		}
		p.Message = p.Message.With(slots[i].Name, shown)
		p.KindMessage = p.KindMessage.With(slots[i].Name, kind)
	}
	p.Kind, p.Particulars = fmt.Sprintf(format, elided...), strings.Join(particulars, ", ")
	return p
}

// Repeated returns the problem of a text that has it several times.
func (p Problem) Repeated(times int) Problem {
	if times > 1 {
		p.Text += fmt.Sprintf(" (%d times)", times)
		p.Message = locale.M("{text} ({n} times)", "text", p.Message, "n", times)
	}
	return p
}

// String returns the problem in one line: the place and the text.
func (p Problem) String() string {
	if p.Where == "" {
		return p.Text
	}
	return p.Where + ": " + p.Text
}

// Refusal reports whether the problem prevented the import of a post.
func (p Problem) Refusal() bool { return p.Where != "" && strings.HasPrefix(p.Text, "not imported") }

// AddProblem adds a problem: see NewProblem.
func (b *Blog) AddProblem(where, format string, args ...any) {
	b.Problems = append(b.Problems, NewProblem(where, format, args...))
}

// Found returns the number of posts in the export, including those that cannot be read.
func (b *Blog) Found() int {
	n := len(b.Posts)
	for _, p := range b.Problems {
		if p.Refusal() {
			n++
		}
	}
	return n
}

// ProblemGroup holds the problems of one kind.
type ProblemGroup struct {
	Kind     string
	Count    int
	Examples []Problem // the first problems, at most mostExamples
}

const mostExamples = 3

// GroupProblems groups problems by their kind: kinds of refused posts first, then the kinds with the most problems.
func GroupProblems(problems []Problem) []ProblemGroup {
	byKind := make(map[string]*ProblemGroup)
	for _, p := range problems {
		g := byKind[p.Kind]
		if g == nil {
			g = &ProblemGroup{Kind: p.Kind}
			byKind[p.Kind] = g
		}
		if g.Count++; len(g.Examples) < mostExamples {
			g.Examples = append(g.Examples, p)
		}
	}
	groups := make([]ProblemGroup, 0, len(byKind))
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		groups = append(groups, *byKind[kind])
	}
	slices.SortStableFunc(groups, func(a, b ProblemGroup) int {
		if x, y := a.Examples[0].Refusal(), b.Examples[0].Refusal(); x != y {
			if x {
				return -1
			}
			return 1
		}
		return b.Count - a.Count
	})
	return groups
}

// String returns the group in one line: its count, its kind and its examples.
func (g ProblemGroup) String() string {
	if g.Count == 1 {
		return g.Examples[0].String()
	}
	var examples []string
	for _, p := range g.Examples {
		switch about := plaintext.Truncate(p.Particulars, 100); {
		case p.Where == "" && about == "":
		case about == "":
			examples = append(examples, p.Where)
		case p.Where == "":
			examples = append(examples, about)
		default:
			examples = append(examples, p.Where+" ("+about+")")
		}
	}
	line := plaintext.Grouped(g.Count) + " times: " + g.Kind
	if len(examples) == 0 {
		return line
	}
	line += " – " + strings.Join(examples, "; ")
	if more := g.Count - len(g.Examples); more > 0 {
		line += "; and " + plaintext.Grouped(more) + " more"
	}
	return line
}
