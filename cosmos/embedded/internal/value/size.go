package value

// LongerThan reports whether the text of v is longer than about n bytes. Escapes, brackets and
// numbers are estimated. It stops as soon as the answer is known.
func (v Value) LongerThan(n int) bool { return v.Spend(n) < 0 }

// Spend returns n minus the length of v's text in bytes; a negative number if the text is longer.
func (v Value) Spend(n int) int {
	n -= len(v.str) + 2
	for i := 0; i < len(v.elems) && n >= 0; i++ {
		n = v.elems[i].Spend(n)
	}
	for i := 0; i < len(v.members) && n >= 0; i++ {
		n = v.members[i].Value.Spend(n - len(v.members[i].Name) - 4)
	}
	return n
}

// Footprint returns n minus the approximate memory of v in bytes; a negative number if v takes
// more.
func (v Value) Footprint(n int) int {
	n -= len(v.str) + 64
	for i := 0; i < len(v.elems) && n >= 0; i++ {
		n = v.elems[i].Footprint(n)
	}
	for i := 0; i < len(v.members) && n >= 0; i++ {
		n = v.members[i].Value.Footprint(n - len(v.members[i].Name))
	}
	return n
}

// DeeperThan reports whether arrays and objects in v are nested deeper than n.
func (v Value) DeeperThan(n int) bool {
	if v.kind < Array {
		return false
	}
	if n == 0 {
		return true
	}
	for i := range v.elems {
		if v.elems[i].DeeperThan(n - 1) {
			return true
		}
	}
	for i := range v.members {
		if v.members[i].Value.DeeperThan(n - 1) {
			return true
		}
	}
	return false
}
