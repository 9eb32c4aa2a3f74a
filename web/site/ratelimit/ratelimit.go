// Package ratelimit limits how often users and addresses may do something. Limits against guessing
// and mass creation are counted by all instances together; the others by each instance alone.
package ratelimit

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Rule names a limited action.
type Rule string

// The rules in the first group are counted by all instances together: they guard against guessing
// and mass creation. The others keep one visitor from using up an instance.
const (
	Login        Rule = "login"         // failures with one username from one address or known browser
	LoginAddress Rule = "login-address" // failures from one address, with any username
	LoginAccount Rule = "login-account" // failures with one username from unknown browsers
	SecondFactor Rule = "second-factor" // codes of one user
	Confirm      Rule = "confirm"       // confirmations of one user
	Signup       Rule = "signup"        // from one address
	Signups      Rule = "signups"       // of all addresses together
	Invitation   Rule = "invitation"    // codes tried from one address
	Reset        Rule = "reset"         // reset mails requested from one address
	Mail         Rule = "mail"          // mails with a link to one account; resets and verifications count separately
	MailAddress  Rule = "mail-address"  // mails to one address that is not verified, requested from one network
	Subscribers  Rule = "subscribers"   // visitors' subscriptions by mail from one address; mails to one count as Mail

	Write   Rule = "write" // every change without a rule of its own; see site.LimitedRoutes
	Post    Rule = "post"  // publishing; counted by user, as all below
	Comment Rule = "comment"
	Like    Rule = "like"    // likes and bookmarks
	Follow  Rule = "follow"  // following and unfollowing
	Follows Rule = "follows" // new follows in a day
	Report  Rule = "report"
	Upload  Rule = "upload"
	Preview Rule = "preview"
	Export  Rule = "export"
	Import  Rule = "import" // uploads of exports
	// ImportedSubscribers counts the people in the files of subscribers that an author imports.
	ImportedSubscribers Rule = "import-subscribers"
	// ImportSize and ImportSizeNetwork count the megabytes of these uploads and of pictures, by a user and by all users
	// of a network.
	ImportSize        Rule = "import-size"
	ImportSizeNetwork Rule = "import-size-network"
	Rename            Rule = "rename" // of usernames and display names, and new avatars
	Invite            Rule = "invite" // invitations made
	Read              Rule = "read"   // pages that are not served from the cache
	Fresh             Rule = "fresh"  // reads that bypass the cache after a write, from one address
	Search            Rule = "search"
	Suggest           Rule = "suggest" // tag suggestions while typing
	Passkey           Rule = "passkey" // challenges
	// SubscribersProvider counts subscriptions by mail of addresses of one mailbox provider: one for a large provider,
	// twenty for others.
	SubscribersProvider Rule = "subscribers-provider"

	LoginKnown   Rule = "login-known"   // all log-ins with one username from known browsers
	UnitsUser    Rule = "units-user"    // request units that one user costs
	UnitsNetwork Rule = "units-network" // a quarter of the request units that one /48 of IPv6 costs
)

// manyFromNetwork is also the message for limits of networks.
var manyFromNetwork = locale.M("There were too many requests from your network.")

// rules are the default rate and the error message of each rule. People stay far below the rates,
// also a hundred people behind one address.
var rules = map[Rule]struct {
	often   Rate
	shared  bool
	message locale.Message
}{
	Login: {Rate{10, 15 * time.Minute}, true, locale.M("You entered a wrong password too often.")},
	LoginAddress: {Rate{200, 15 * time.Minute}, true, locale.M("There were too many login attempts from your " +
		"network.")},
	LoginAccount: {Rate{100, 15 * time.Minute}, true, locale.M("Someone may be trying to guess this account's " +
		"password. You can still log in with a browser you have used " +
		"before.")},
	SecondFactor: {Rate{10, 15 * time.Minute}, true, locale.M("You entered too many wrong codes.")},
	Confirm:      {Rate{10, 15 * time.Minute}, true, locale.M("You entered a wrong password or code too often.")},
	Signup:       {Rate{30, time.Hour}, true, locale.M("Too many accounts were created from your network.")},
	Signups:      {Rate{100, 10 * time.Minute}, true, locale.M("Too many people are signing up right now.")},
	Invitation:   {Rate{30, time.Hour}, true, locale.M("There were too many attempts with invalid invitation codes.")},
	Reset:        {Rate{20, time.Hour}, true, locale.M("There were too many password resets from your network.")},
	Mail:         {Rate{5, time.Hour}, true, locale.M("We already sent you several emails. Check your spam folder.")},
	// More than twice the rate of Mail, so that one account alone cannot use it up for others in the same network.
	MailAddress: {Rate{12, time.Hour}, true, locale.M("We already sent several emails to this address. Check your " +
		"spam folder.")},
	Subscribers: {Rate{20, time.Hour}, true, locale.M("There were too many subscriptions from your network.")},
	Write:       {Rate{600, 10 * time.Minute}, false, locale.M("You made too many changes in a short time.")},
	Post:        {Rate{60, time.Hour}, false, locale.M("You published too many posts in a short time.")},
	Comment:     {Rate{30, 5 * time.Minute}, false, locale.M("You wrote too many comments in a short time.")},
	Like:        {Rate{120, time.Minute}, false, locale.M("That was too quick.")},
	Follow:      {Rate{60, time.Minute}, false, locale.M("That was too quick.")},
	Follows:     {Rate{500, 24 * time.Hour}, false, locale.M("You followed many authors and tags today.")},
	Report:      {Rate{30, time.Hour}, false, locale.M("You sent many reports. Moderators will look at all of them.")},
	Upload:      {Rate{200, 10 * time.Minute}, false, locale.M("You uploaded too many pictures in a short time.")},
	Preview:     {Rate{300, time.Minute}, false, locale.M("You opened too many previews in a short time.")},
	Export:      {Rate{10, time.Hour}, false, locale.M("You downloaded your content several times already.")},
	Import:      {Rate{20, time.Hour}, false, locale.M("You uploaded several files already.")},
	ImportedSubscribers: {Rate{100_000, 24 * time.Hour}, false, locale.M("You imported many subscribers " +
		"today.")},
	// Two exports of the maximum size, or some hundred photos.
	ImportSize:        {Rate{500, time.Hour}, false, locale.M("You uploaded many large files in a short time.")},
	ImportSizeNetwork: {Rate{500, time.Hour}, false, manyFromNetwork},
	Rename:            {Rate{20, time.Hour}, false, locale.M("You changed your name or picture too often.")},
	Invite:            {Rate{60, time.Hour}, false, locale.M("You created too many invitations in a short time.")},
	Read:              {Rate{200, 20 * time.Second}, false, locale.M("You opened too many pages in a short time.")},
	Fresh:             {Rate{120, time.Minute}, false, locale.M("You opened too many pages in a short time.")},
	Search:            {Rate{240, time.Minute}, false, locale.M("There were too many searches from your network.")},
	Passkey: {Rate{300, 10 * time.Minute}, false, locale.M("There were too many passkey requests from your " +
		"network.")},
	Suggest: {Rate{600, time.Minute}, false, manyFromNetwork},
	SubscribersProvider: {Rate{600, time.Hour}, false, locale.M("Many people with addresses of this email " +
		"provider are subscribing right now.")},

	LoginKnown: {Rate{60, time.Hour}, false, locale.M("You logged in too often in a short time.")},
	UnitsUser: {Rate{6_000, 15 * time.Minute}, false, locale.M("Your account has caused too much work for this " +
		"site in a short time.")},
	UnitsNetwork: {Rate{1_000, 15 * time.Minute}, false, manyFromNetwork},
}

// Limiter counts actions and rejects those beyond the rates.
type Limiter struct {
	Rates  Limits
	shared *sharedCounts
	local  *buckets
}

// New returns a Limiter. Without counters, this instance counts alone.
func New(rates Limits, counters Counters, logger *slog.Logger) *Limiter {
	return &Limiter{rates, newSharedCounts(counters, logger), newBuckets()}
}

// Allow counts an action of the user or address that key names. It fails with TooMany, and the time
// to wait, if the action exceeds the rate; then the caller must not perform it. There are no other
// errors: if the shared counters are unavailable, this instance counts alone.
func (l *Limiter) Allow(ctx context.Context, r Rule, key string) error {
	return l.AllowCost(ctx, r, key, 1)
}

// AllowCost is Allow for an action that costs as much as a number of others. An action that costs more than the whole
// rate takes all of it. Rules that all instances count together count each action as one.
func (l *Limiter) AllowCost(ctx context.Context, r Rule, key string, actions int) error {
	often, limited := l.Rates.rate(r)
	if !limited {
		return nil
	}
	var wait time.Duration
	if rules[r].shared {
		wait = l.shared.take(ctx, r, often, key)
	} else {
		wait = l.local.take(r, often, key, actions)
	}
	return TooMany(r, wait)
}

// Refund reverts a call of Allow for an action that turned out to be harmless.
func (l *Limiter) Refund(ctx context.Context, r Rule, key string) {
	if often, limited := l.Rates.rate(r); limited && rules[r].shared {
		l.shared.refund(ctx, r, often, key)
	}
}

// RefundCost reverts a call of AllowCost under a rule that this instance counts alone.
func (l *Limiter) RefundCost(r Rule, key string, actions int) {
	if often, limited := l.Rates.rate(r); limited {
		l.local.charge(r, often, key, -min(actions, often.Count))
	}
}

// Settle reverts a call of Allow if the action succeeded or failed with Unavailable. An attacker
// learns nothing from these failures, except by cancelling the request: a cancelled request stays
// counted.
func (l *Limiter) Settle(ctx context.Context, r Rule, key string, err error) {
	if isHarmless(ctx, err) {
		l.Refund(ctx, r, key)
	}
}

func isHarmless(ctx context.Context, err error) bool {
	return err == nil || domain.Is(err, domain.Unavailable) && ctx.Err() == nil
}

// TooMany returns the error for an action that has to wait, and nil if it need not.
func TooMany(r Rule, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	return &domain.Error{Kind: domain.TooMany, Wait: wait,
		Message: locale.M("{reason} {advice}", "reason", rules[r].message, "advice", advice(wait))}
}

// advice says when to try again. It rounds up, so that the next attempt after it succeeds.
func advice(wait time.Duration) locale.Message {
	if wait <= 90*time.Second {
		return locale.M("Please try again in {n} seconds.", "n", int((wait+time.Second-1)/time.Second))
	}
	return locale.M("Please try again in {n} minutes.", "n", int((wait+time.Minute-1)/time.Minute))
}
