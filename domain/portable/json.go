package portable

// maxElements is the maximum number of elements in all lists of a JSON document. A decoded element takes up to a
// hundred times the memory of its text, so this bounds the memory of a decoded document.
const maxElements = 500_000

// maxJSONDepth is the nesting depth above which package json refuses a document.
const maxJSONDepth = 10_000

// CheckJSON returns an error if the lists of a JSON document have more than maxElements elements. It does not check the
// syntax.
func CheckJSON(body []byte) error {
	elements := 0
	var inList []bool // for each open list or object, whether it is a list
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if len(inList) == maxJSONDepth {
				return nil
			}
			inList = append(inList, c == '[')
			if c == '[' {
				elements++ // the first element; an empty list counts as one, too
			}
		case ']', '}':
			inList = inList[:max(0, len(inList)-1)]
		case ',':
			if len(inList) > 0 && inList[len(inList)-1] {
				elements++
			}
		}
		if elements > maxElements {
			return errHoldsMore
		}
	}
	return nil
}
