package verify

import (
	"context"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// redirectFacts holds the facts about imports and redirects that the audit checks at the end.
type redirectFacts struct {
	imported map[formerAddress]bool
	imports  map[string]int // records by their users
	// importJobs are the users whose jobs must have an entry in the schedule, and whose entry was not read yet.
	importJobs map[string]bool
	redirects  []domain.Redirect
}

func newRedirectFacts() redirectFacts {
	return redirectFacts{imported: make(map[formerAddress]bool), imports: make(map[string]int),
		importJobs: make(map[string]bool)}
}

// formerAddress is an address that the record of an import names.
type formerAddress struct{ userID, path string }

// noteImport records and checks the record of an imported post.
func (a *audit) noteImport(subject string, i storedItem) {
	if i.ID != schema.ImportID(i.PostID) {
		a.violation(ruleIDs, subject, "it is the record of post %s", i.PostID)
		return
	}
	a.checkStays(subject, i)
	a.imports[i.UserID]++
	for _, path := range i.Paths {
		a.imported[formerAddress{i.UserID, path}] = true
	}
}

// noteImportJob records a job, which must be deleted with its user.
func (a *audit) noteImportJob(subject string, i storedItem) {
	if i.ID != schema.ImportJobID {
		a.violation(ruleIDs, subject, "it is the import of user %s", i.UserID)
		return
	}
	a.checkStays(subject, i)
	a.imports[i.UserID]++
	if state := domain.ImportState(i.State); state.Works() || state == domain.ImportReceiving ||
		state == domain.ImportReady {
		a.importJobs[i.UserID] = true
	}
}

// noteImporting runs after the users were read. An entry without a job is sound: an instance deletes it.
func (a *audit) noteImporting(subject string, i storedItem) {
	if i.ID != i.UserID {
		a.violation(ruleIDs, subject, "it is of user %s", i.UserID)
		return
	}
	a.checkStays(subject, i)
	delete(a.importJobs, i.UserID)
}

// readRedirects reads the redirects. It runs after the users were read, whose records name the addresses. A
// database from before the imports has no such container.
func (a *audit) readRedirects(ctx context.Context, db *client.Database) error {
	return readOptionalItems(ctx, a, db, schema.RedirectsContainer, wholeQuery, func(i storedItem) {
		subject := "redirect from " + i.Path
		switch {
		case i.Type != schema.TypeRedirect:
			a.violation(ruleTypes, schema.RedirectsContainer+" item "+i.ID, "type %q", i.Type)
			return
		case i.ID != schema.RedirectID(i.Path):
			a.violation(ruleIDs, subject, "it is found as %s", i.ID)
		}
		if r := (domain.Redirect{To: i.To}); (i.PostID == "") != r.IsList() {
			a.violation(ruleTypes, subject, "it leads to post %q and to %q", i.PostID, i.To)
		}
		a.checkStays(subject, i)
		a.redirects = append(a.redirects, domain.Redirect{Path: i.Path, OwnerID: i.OwnerID, PostID: i.PostID, To: i.To})
	})
}

// storedRequests are the properties of the addresses that a user's imports ask for.
type storedRequests struct {
	RequestCount int   `json:"requestCount"`
	Addresses    []any `json:"addresses"`
}

// noteAddresses checks the item of a user whose imports claimed addresses, or ask for some.
func (a *audit) noteAddresses(subject string, i storedItem) {
	if i.ID != i.UserID || i.Queue != schema.AddressQueue {
		a.violation(ruleIDs, subject, "it is of user %s, in the queue %s", i.UserID, schema.AddressQueue)
		return
	}
	a.checkStays(subject, i)
	if n := len(i.Addresses); n != i.RequestCount || (n > 0) != (i.Type == schema.TypeAddressRequest) {
		a.violation(ruleCounts, subject, "its type is %s with %d requests counted, %d exist", i.Type, i.RequestCount, n)
	}
	switch u := a.users[i.UserID]; {
	case u == nil || !u.present:
		a.violation(ruleOrphans, subject, "there is no such user")
	case u.erased:
		a.violation(ruleDeletions, "user "+i.UserID, "administrators are asked for addresses")
	}
}

// checkRedirects checks that each redirect would be deleted with its owner. A deletion finds only the redirects
// that a record names.
func (a *audit) checkRedirects() {
	for _, r := range a.redirects {
		subject := "redirect from " + r.Path
		if !a.imported[formerAddress{r.OwnerID, r.Path}] {
			a.violation(ruleOrphans, subject, "no import of user %s names it", r.OwnerID)
		}
		if p := a.posts[r.PostID]; p != nil && p.live() && p.form.author.Value() != r.OwnerID {
			a.violation(ruleOrphans, subject, "it is of user %s, and post %s is of user %s", r.OwnerID, r.PostID,
				p.form.author.Value())
		}
	}
	for userID := range a.importJobs {
		a.violation(ruleScheduled, "import of user "+userID, "the schedule has no entry for it")
	}
	for userID, n := range a.imports {
		switch u := a.users[userID]; {
		case userID == siteOwner:
		case u == nil || !u.present:
			a.violation(ruleOrphans, "imports of "+userID, "there is no such user")
		case u.deleted && u.erased:
			a.violation(ruleDeletions, "user "+userID, "there are %d records of imports", n)
		}
	}
}
