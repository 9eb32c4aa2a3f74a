package ratelimit

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"inkfeed/domain"
)

// Rule names what may be done only so often.
type Rule string

// Those that are counted for all instances together guard what is guessed, or made in bulk;
// the others only keep one visitor from taking an instance's time from the rest.
const (
	Login        Rule = "login"         // failures with one name from one address, or known browser
	LoginAddress Rule = "login-address" // failures from one address, with whatever names
	LoginAccount Rule = "login-account" // failures with one name from browsers that are not known
	SecondFactor Rule = "second-factor" // codes of one user
	Confirm      Rule = "confirm"       // confirmations of one user
	Signup       Rule = "signup"        // from one address
	Signups      Rule = "signups"       // of everybody
	Invitation   Rule = "invitation"    // codes tried from one address
	Reset        Rule = "reset"         // mails asked for from one address
	Mail         Rule = "mail"          // mails to one account

	Write   Rule = "write" // whatever changes something, and has no rule of its own in limitedRoutes
	Post    Rule = "post"  // publishing, of one user, as all below
	Comment Rule = "comment"
	Like    Rule = "like" // likes and bookmarks
	Report  Rule = "report"
	Upload  Rule = "upload"
	Preview Rule = "preview"
	Export  Rule = "export"
	Import  Rule = "import" // uploads of exports
	Rename  Rule = "rename"
	Invite  Rule = "invite" // invitations made
	Read    Rule = "read"   // pages that the cache does not answer
	Fresh   Rule = "fresh"  // reads that bypass the cache after a write, from one address
	Search  Rule = "search"
	Suggest Rule = "suggest" // tags, while typing
	Passkey Rule = "passkey" // challenges
)

// rules says of each rule how often, by default, and what somebody is told who does it
// more often. People do not come near the numbers, nor do a hundred behind one address.
var rules = map[Rule]struct {
	often   Rate
	shared  bool
	message string
}{
	Login:        {Rate{10, 15 * time.Minute}, true, "You entered a wrong password too often."},
	LoginAddress: {Rate{200, 15 * time.Minute}, true, "There were too many login attempts from your network."},
	LoginAccount: {Rate{100, 15 * time.Minute}, true,
		"Someone may be trying to guess this account's password. You can still log in with a browser you have used " +
			"before."},
	SecondFactor: {Rate{10, 15 * time.Minute}, true, "You entered too many wrong codes."},
	Confirm:      {Rate{10, 15 * time.Minute}, true, "You entered a wrong password or code too often."},
	Signup:       {Rate{30, time.Hour}, true, "Too many accounts were created from your network."},
	Signups:      {Rate{100, 10 * time.Minute}, true, "Too many people are signing up right now."},
	Invitation:   {Rate{30, time.Hour}, true, "There were too many attempts with invalid invitation codes."},
	Reset:        {Rate{20, time.Hour}, true, "There were too many password resets from your network."},
	Mail:         {Rate{5, time.Hour}, true, "We already sent you several emails. Check your spam folder."},
	Write:        {Rate{600, 10 * time.Minute}, false, "You made too many changes in a short time."},
	Post:         {Rate{60, time.Hour}, false, "You published too many posts in a short time."},
	Comment:      {Rate{30, 5 * time.Minute}, false, "You wrote too many comments in a short time."},
	Like:         {Rate{120, time.Minute}, false, "That was too quick."},
	Report:       {Rate{30, time.Hour}, false, "You sent many reports. Moderators will look at all of them."},
	Upload:       {Rate{200, 10 * time.Minute}, false, "You uploaded too many pictures in a short time."},
	Preview:      {Rate{300, time.Minute}, false, "You opened too many previews in a short time."},
	Export:       {Rate{10, time.Hour}, false, "You downloaded your content several times already."},
	Import:       {Rate{20, time.Hour}, false, "You uploaded several exports already."},
	Rename:       {Rate{20, time.Hour}, false, "You changed your username too often."},
	Invite:       {Rate{60, time.Hour}, false, "You created too many invitations in a short time."},
	Read:         {Rate{200, 20 * time.Second}, false, "You opened too many pages in a short time."},
	Fresh:        {Rate{120, time.Minute}, false, "You opened too many pages in a short time."},
	Search:       {Rate{240, time.Minute}, false, "There were too many searches from your network."},
	Passkey:      {Rate{300, 10 * time.Minute}, false, "There were too many passkey requests from your network."},
	Suggest:      {Rate{600, time.Minute}, false, "There were too many requests from your network."},
}

// Limiter holds visitors to the rules.
type Limiter struct {
	Rates  Limits
	shared *sharedCounts
	local  *buckets
}

func New(rates Limits, counters Counters, logger *slog.Logger) *Limiter {
	return &Limiter{rates, newSharedCounts(counters, logger), newBuckets()}
}

// Allow counts what is about to be done, by whom the key says, and fails with TooMany when
// that is too often; then it is not to be done. It does not fail otherwise: when the shared
// counters cannot be reached, this instance counts alone.
func (l *Limiter) Allow(ctx context.Context, r Rule, key string) error {
	often, limited := l.Rates.of(r)
	if !limited {
		return nil
	}
	var wait time.Duration
	if rules[r].shared {
		wait = l.shared.take(ctx, r, often, key)
	} else {
		wait = l.local.take(r, often, key)
	}
	if wait > 0 {
		return tooMany(r, wait)
	}
	return nil
}

// Forgive takes back what allow has counted: it turned out to be none of what the rule
// is against.
func (l *Limiter) Forgive(ctx context.Context, r Rule, key string) {
	if often, limited := l.Rates.of(r); limited && rules[r].shared {
		l.shared.give(ctx, r, often, key)
	}
}

// Settle takes back what allow has counted if it went well, or failed for reasons of ours:
// then nobody has learnt anything. Whoever does not wait for the answer has been counted.
func (l *Limiter) Settle(ctx context.Context, r Rule, key string, err error) {
	if err == nil || domain.Is(err, domain.Unavailable) && ctx.Err() == nil {
		l.Forgive(ctx, r, key)
	}
}

func tooMany(r Rule, wait time.Duration) error {
	return &domain.Error{Kind: domain.TooMany, Wait: wait,
		Message: fmt.Sprintf("%s Please try again in %s.", rules[r].message, inWords(wait))}
}

// inWords rounds up, so that who comes back then is let in.
func inWords(d time.Duration) string {
	n, unit := int((d+time.Second-1)/time.Second), "second"
	if n > 90 {
		n, unit = int((d+time.Minute-1)/time.Minute), "minute"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s", n, unit)
}
