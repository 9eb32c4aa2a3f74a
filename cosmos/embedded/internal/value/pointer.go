package value

import "strings"

// pointer joins steps as query.Path.String does.
func Pointer(steps []string) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('/')
		b.WriteString(pointerEscaper.Replace(s))
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// splitPointer undoes pointer.
func SplitPointer(p string) []string {
	steps := strings.Split(strings.TrimPrefix(p, "/"), "/")
	for i, s := range steps {
		steps[i] = pointerUnescaper.Replace(s)
	}
	return steps
}

var pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
