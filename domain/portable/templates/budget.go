package templates

import "inkfeed/domain/portable"

// maxAdded is the number of bytes that template code may add to all texts of a site. A reader holds all texts in
// memory, and template code in a small export could otherwise fill the memory.
const maxAdded = 64 << 20

// budget is the number of bytes that template code may still read and write. Once it is spent, no further code is
// translated.
type budget int

// newBudget returns the budget of one text. Spent is the part of maxAdded that the other texts of the site have spent.
func newBudget(spent int) budget { return budget(min(portable.MaxText, maxAdded-spent)) }

// spend subtracts bytes from b and reports whether any are left.
func (b *budget) spend(bytes int) bool {
	*b -= budget(bytes)
	return *b > 0
}
