package value

import (
	"strconv"
	"strings"
)

// Pointer joins the segments of a path to a JSON pointer, in the form of query.Path.String.
func Pointer(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(s))
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// SplitPointer is the inverse of Pointer.
func SplitPointer(p string) []string {
	steps := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range steps {
		steps[i] = pointerUnescaper.Replace(s)
	}
	return steps
}

// AtPointer returns the part of v at a path in the form of query.Path.String, in which ~[n] is an element of an array.
func (v Value) AtPointer(path string) Value {
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if index, ok := strings.CutPrefix(step, "~["); ok {
			i, _ := strconv.Atoi(strings.TrimSuffix(index, "]"))
			v = v.Elem(i)
		} else {
			v = v.Member(pointerUnescaper.Replace(step))
		}
	}
	return v
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
