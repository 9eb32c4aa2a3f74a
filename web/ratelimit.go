package web

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"inkfeed/domain"
)

// rule names what may be done only so often.
type rule string

// Those that are counted for all instances together guard what is guessed, or made in bulk;
// the others only keep one visitor from taking an instance's time from the rest.
const (
	ruleLogin        rule = "login"         // failures with one name from one address, or known browser
	ruleLoginAddress rule = "login-address" // failures from one address, with whatever names
	ruleLoginAccount rule = "login-account" // failures with one name from browsers that are not known
	ruleSecondFactor rule = "second-factor" // codes of one user
	ruleConfirm      rule = "confirm"       // confirmations of one user
	ruleSignup       rule = "signup"        // from one address
	ruleSignups      rule = "signups"       // of everybody
	ruleInvitation   rule = "invitation"    // codes tried from one address
	ruleReset        rule = "reset"         // mails asked for from one address
	ruleMail         rule = "mail"          // mails to one account

	ruleWrite   rule = "write" // whatever changes something, and has no rule of its own in limitedRoutes
	rulePost    rule = "post"  // publishing, of one user, as all below
	ruleComment rule = "comment"
	ruleLike    rule = "like" // likes and bookmarks
	ruleReport  rule = "report"
	ruleUpload  rule = "upload"
	rulePreview rule = "preview"
	ruleExport  rule = "export"
	ruleImport  rule = "import" // uploads of exports
	ruleRename  rule = "rename"
	ruleInvite  rule = "invite" // invitations made
	ruleRead    rule = "read"   // pages that the cache does not answer
	ruleFresh   rule = "fresh"  // reads that bypass the cache after a write, from one address
	ruleSearch  rule = "search"
	ruleSuggest rule = "suggest" // tags, while typing
	rulePasskey rule = "passkey" // challenges
)

// ruleSet says of each rule how often, by default, and what somebody is told who does it
// more often. People do not come near the numbers, nor do a hundred behind one address.
var ruleSet = map[rule]struct {
	often   Rate
	shared  bool
	message string
}{
	ruleLogin:        {Rate{10, 15 * time.Minute}, true, "You entered a wrong password too often."},
	ruleLoginAddress: {Rate{200, 15 * time.Minute}, true, "There were too many login attempts from your network."},
	ruleLoginAccount: {Rate{100, 15 * time.Minute}, true, "Someone may be trying to guess this account's password. You can still log in with a browser you have used before."},
	ruleSecondFactor: {Rate{10, 15 * time.Minute}, true, "You entered too many wrong codes."},
	ruleConfirm:      {Rate{10, 15 * time.Minute}, true, "You entered a wrong password or code too often."},
	ruleSignup:       {Rate{30, time.Hour}, true, "Too many accounts were created from your network."},
	ruleSignups:      {Rate{100, 10 * time.Minute}, true, "Too many people are signing up right now."},
	ruleInvitation:   {Rate{30, time.Hour}, true, "There were too many attempts with invalid invitation codes."},
	ruleReset:        {Rate{20, time.Hour}, true, "There were too many password resets from your network."},
	ruleMail:         {Rate{5, time.Hour}, true, "We already sent you several emails. Check your spam folder."},
	ruleWrite:        {Rate{600, 10 * time.Minute}, false, "You made too many changes in a short time."},
	rulePost:         {Rate{60, time.Hour}, false, "You published too many posts in a short time."},
	ruleComment:      {Rate{30, 5 * time.Minute}, false, "You wrote too many comments in a short time."},
	ruleLike:         {Rate{120, time.Minute}, false, "That was too quick."},
	ruleReport:       {Rate{30, time.Hour}, false, "You sent many reports. Moderators will look at all of them."},
	ruleUpload:       {Rate{200, 10 * time.Minute}, false, "You uploaded too many pictures in a short time."},
	rulePreview:      {Rate{300, time.Minute}, false, "You opened too many previews in a short time."},
	ruleExport:       {Rate{10, time.Hour}, false, "You downloaded your content several times already."},
	ruleImport:       {Rate{20, time.Hour}, false, "You uploaded several exports already."},
	ruleRename:       {Rate{20, time.Hour}, false, "You changed your username too often."},
	ruleInvite:       {Rate{60, time.Hour}, false, "You created too many invitations in a short time."},
	ruleRead:         {Rate{200, 20 * time.Second}, false, "You opened too many pages in a short time."},
	ruleFresh:        {Rate{120, time.Minute}, false, "You opened too many pages in a short time."},
	ruleSearch:       {Rate{240, time.Minute}, false, "There were too many searches from your network."},
	rulePasskey:      {Rate{300, 10 * time.Minute}, false, "There were too many passkey requests from your network."},
	ruleSuggest:      {Rate{600, time.Minute}, false, "There were too many requests from your network."},
}

// limiter holds visitors to the rules.
type limiter struct {
	rates  RateLimits
	shared *sharedCounts
	local  *buckets
}

func newLimiter(rates RateLimits, counters Counters, logger *slog.Logger) *limiter {
	return &limiter{rates, newSharedCounts(counters, logger), newBuckets()}
}

// allow counts what is about to be done, by whom the key says, and fails with TooMany when
// that is too often; then it is not to be done. It does not fail otherwise: when the shared
// counters cannot be reached, this instance counts alone.
func (l *limiter) allow(ctx context.Context, r rule, key string) error {
	often, limited := l.rates.of(r)
	if !limited {
		return nil
	}
	var wait time.Duration
	if ruleSet[r].shared {
		wait = l.shared.take(ctx, r, often, key)
	} else {
		wait = l.local.take(r, often, key)
	}
	if wait > 0 {
		return tooMany(r, wait)
	}
	return nil
}

// forgive takes back what allow has counted: it turned out to be none of what the rule
// is against.
func (l *limiter) forgive(ctx context.Context, r rule, key string) {
	if often, limited := l.rates.of(r); limited && ruleSet[r].shared {
		l.shared.give(ctx, r, often, key)
	}
}

// settle takes back what allow has counted if it went well, or failed for reasons of ours:
// then nobody has learnt anything. Whoever does not wait for the answer has been counted.
func (l *limiter) settle(ctx context.Context, r rule, key string, err error) {
	if err == nil || domain.Is(err, domain.Unavailable) && ctx.Err() == nil {
		l.forgive(ctx, r, key)
	}
}

func tooMany(r rule, wait time.Duration) error {
	return &domain.Error{Kind: domain.TooMany, Wait: wait,
		Message: fmt.Sprintf("%s Please try again in %s.", ruleSet[r].message, inWords(wait))}
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
