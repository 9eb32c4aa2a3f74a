// Package literals reads the plain values in a configuration that is a program, in JavaScript, TypeScript or Python. It
// evaluates nothing: any other value is Code.
package literals

import (
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// Code is the source of a value that is not a literal.
type Code string

// maxDepth is the maximum nesting depth of values. A value can be read once at each depth, so it bounds the work.
const maxDepth = 20

// reader reads the values of a program.
type reader struct {
	source string
	at     int
	python bool
}

var assignment = regexp.MustCompile(`(?m)^([A-Z][A-Z0-9_]*)[ \t]*=[ \t]*`)

// Python returns the values of assignments to names in capital letters.
func Python(source string) map[string]any {
	values, r := make(map[string]any), reader{source: source, python: true}
	for _, m := range assignment.FindAllStringSubmatchIndex(source, -1) {
		if m[0] >= r.at {
			r.at = m[1]
			values[source[m[2]:m[3]]] = r.value(0)
		}
	}
	return values
}

var object = regexp.MustCompile(`(?:module\.exports\s*=|export\s+default|\breturn|\bdefineConfig\(|=>\s*\(|` +
	`export\s+const\s+config\s*=|\bconst\s+config\s*(?::[^={]*)?=)\s*\{`)

// JavaScript returns the properties of the objects that a module exports, or that its function returns. It returns nil
// if there is no such object.
func JavaScript(source string) map[string]any {
	var values map[string]any
	r := reader{source: source}
	for _, m := range object.FindAllStringIndex(source, -1) {
		if m[0] < r.at {
			continue
		}
		r.at = m[1] - 1
		if found, ok := r.literal(1).(map[string]any); ok {
			if values == nil {
				values = found
			}
			maps.Copy(values, found)
		}
	}
	return values
}

// value reads a value, which ends before a comma, a semicolon, a closing bracket or, outside of brackets in Python, a
// line break.
func (r *reader) value(depth int) any {
	r.space()
	start := r.at
	if depth < maxDepth {
		v := r.literal(depth + 1)
		if end := r.at; v != nil {
			if depth > 0 || !r.python {
				r.space()
			} else {
				r.at += len(r.source[r.at:]) - len(strings.TrimLeft(r.source[r.at:], " \t"))
			}
			if r.at == len(r.source) || strings.IndexByte(",;])}\n#", r.source[r.at]) >= 0 {
				return v
			}
			r.at = end
		}
	}
	r.at = start
	r.skip(depth == 0)
	return Code(strings.TrimSpace(r.source[start:r.at]))
}

var word = regexp.MustCompile(`^[\w.+-]+`)

// literal reads a literal. It returns nil if there is none.
func (r *reader) literal(depth int) any {
	rest := r.source[r.at:]
	switch {
	case rest == "":
		return nil
	case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`' && !r.python:
		return r.text()
	case r.python && len(rest) > 1 && strings.IndexByte("rub", rest[0]|0x20) >= 0 && strings.IndexByte(`'"`,
		rest[1]) >= 0:
		r.at++
		return r.text()
	case rest[0] == '[' || rest[0] == '(' && r.python:
		return r.list(depth)
	case rest[0] == '{':
		return r.table(depth)
	}
	name := word.FindString(rest[:min(len(rest), 100)])
	r.at += len(name)
	switch name {
	case "true", "True":
		return true
	case "false", "False":
		return false
	case "null", "None", "undefined":
		return ""
	}
	if n, err := strconv.ParseFloat(name, 64); err == nil {
		return n
	}
	return nil
}

var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\'`, "'", `\"`, `"`, "\\`", "`", "\\\n", "")

// text reads a text in quotes. It returns nil if the text is not closed, or contains values of variables.
func (r *reader) text() any {
	start, end := r.at, r.textEnd()
	if r.at = end; end-start < 2 || r.source[end-1] != r.source[start] {
		return nil
	}
	inner := r.source[start+1 : end-1]
	switch {
	case r.source[start] == '`' && strings.Contains(inner, "${"):
		return nil
	case strings.HasPrefix(inner, `""`) || strings.HasPrefix(inner, "''"): // Python's long texts
		inner = inner[2:max(2, len(inner)-2)]
	}
	return escapes.Replace(inner)
}

// textEnd returns the end of the text in quotes that begins here: after the closing quote or, without one, of the line.
func (r *reader) textEnd() int {
	quote := r.source[r.at : r.at+1]
	if long := strings.Repeat(quote, 3); r.python && strings.HasPrefix(r.source[r.at:], long) {
		if i := strings.Index(r.source[r.at+3:], long); i >= 0 {
			return r.at + 3 + i + 3
		}
		return len(r.source)
	}
	for i := r.at + 1; i < len(r.source); i++ {
		switch c := r.source[i]; {
		case c == '\\':
			i++
		case c == quote[0]:
			return i + 1
		case c == '\n' && c != quote[0] && quote != "`":
			return i
		}
	}
	return len(r.source)
}

// list reads the elements between brackets.
func (r *reader) list(depth int) any {
	list := []any{}
	r.at++
	for r.more() {
		before := r.at
		list = append(list, r.value(depth))
		r.separate(before)
	}
	return list
}

var key = regexp.MustCompile(`^(?:[\w$]+|\.\.\.)`)

// table reads the properties between braces. A property without a value of its own has Code.
func (r *reader) table(depth int) any {
	table := make(map[string]any)
	r.at++
	for r.more() {
		before := r.at
		name, ok := "", true
		if c := r.source[r.at]; c == '\'' || c == '"' {
			name, ok = r.text().(string)
		} else {
			name = key.FindString(r.source[r.at:min(len(r.source), r.at+100)])
			r.at += len(name)
		}
		if r.space(); ok && r.at < len(r.source) && r.source[r.at] == ':' {
			r.at++
			table[name] = r.value(depth)
		} else {
			r.at = before
			r.skip(false)
			table[name] = Code(strings.TrimSpace(r.source[before:r.at]))
		}
		r.separate(before)
	}
	return table
}

// more reports whether another element follows within brackets. Otherwise it reads the closing bracket.
func (r *reader) more() bool {
	if r.space(); r.at < len(r.source) && strings.IndexByte("])}", r.source[r.at]) < 0 {
		return true
	}
	r.at = min(r.at+1, len(r.source))
	return false
}

// separate reads the separator after an element that began at a position. It always advances.
func (r *reader) separate(before int) {
	if r.space(); r.at < len(r.source) && (r.at == before || strings.IndexByte(",;", r.source[r.at]) >= 0) {
		r.at++
	}
}

// space skips white space and comments.
func (r *reader) space() {
	for r.at < len(r.source) && (strings.IndexByte(" \t\r\n", r.source[r.at]) >= 0 || r.comment()) {
		r.at++
	}
}

// comment moves to the last character of the comment that begins here, if there is one.
func (r *reader) comment() bool {
	rest, end := r.source[r.at:], "\n"
	switch {
	case r.python && rest[0] == '#', !r.python && strings.HasPrefix(rest, "//"):
	case !r.python && strings.HasPrefix(rest, "/*"):
		end = "*/"
	default:
		return false
	}
	if i := strings.Index(rest, end); i >= 0 {
		r.at += i + len(end) - 1
	} else {
		r.at = len(r.source) - 1
	}
	return true
}

// skip moves to the end of a value: see value.
func (r *reader) skip(outside bool) {
	var open []byte // the closing brackets that are expected, and the quote of a template text
	for ; r.at < len(r.source); r.at++ {
		c, in := r.source[r.at], byte(0)
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		switch {
		case in == '`' && c == '\\':
			r.at++
		case in == '`' && strings.HasPrefix(r.source[r.at:], "${"):
			r.at++
			open = append(open, '}')
		case c == '`' && in == '`':
			open = open[:len(open)-1]
		case in == '`' || r.comment():
		case c == '`' && !r.python:
			open = append(open, c)
		case c == '\'' || c == '"':
			r.at = r.textEnd() - 1
		case c == '(' || c == '[' || c == '{':
			open = append(open, c)
		case c == ')' || c == ']' || c == '}':
			if len(open) == 0 {
				return
			}
			open = open[:len(open)-1]
		case len(open) == 0 && (c == ',' || c == ';' || c == '\n' && outside && r.python):
			return
		}
	}
	r.at = len(r.source)
}
