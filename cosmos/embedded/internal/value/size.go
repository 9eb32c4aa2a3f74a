package value

// LongerThan tells whether the text of v has more than about n bytes: escapes, brackets
// and numbers are not counted exactly. It takes no more time than it needs to tell.
func (v Value) LongerThan(n int) bool { return v.spend(n) < 0 }

// spend returns what v leaves of n, below 0 if it does not fit.
func (v Value) spend(n int) int {
	n -= len(v.str) + 2
	for i := 0; i < len(v.elems) && n >= 0; i++ {
		n = v.elems[i].spend(n)
	}
	for i := 0; i < len(v.members) && n >= 0; i++ {
		n = v.members[i].Value.spend(n - len(v.members[i].Name) - 4)
	}
	return n
}
