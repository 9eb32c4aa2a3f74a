package value

// LongerThan tells whether the text of v has more than about n bytes: escapes, brackets
// and numbers are not counted exactly. It takes no more time than it needs to tell.
func (v Value) LongerThan(n int) bool { return v.Spend(n) < 0 }

// Spend returns what is left of n bytes after the text of v, below 0 if it is longer.
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

// Footprint returns what is left of n bytes after those of memory that v takes, about;
// below 0 if it takes more.
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

// DeeperThan tells whether arrays and objects nest more than n deep in v.
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
