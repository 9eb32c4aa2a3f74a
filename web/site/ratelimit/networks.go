package ratelimit

import (
	"cmp"
	"context"
	"math"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site/remote"
)

// AllowFrom is Allow for an action that is counted by the address it comes from, and by what it is about, such as the
// name of an account. The networks of the address have limits, too, which are multiples of its rate. This instance
// counts them alone and in memory, so that refusing a network costs nothing.
func (l *Limiter) AllowFrom(ctx context.Context, r Rule, about string, from remote.Client) error {
	err := l.CheckNetworks(r, about, from)
	if err == nil {
		err = l.Allow(ctx, r, about+from.LimitKey())
	}
	if err == nil {
		l.ChargeNetworks(r, about, from, 1)
	}
	return err
}

// SettleFrom is Settle for a call of AllowFrom.
func (l *Limiter) SettleFrom(ctx context.Context, r Rule, about string, from remote.Client, err error) {
	if isHarmless(ctx, err) {
		l.Refund(ctx, r, about+from.LimitKey())
		l.ChargeNetworks(r, about, from, -1)
	}
}

// CheckFrom is AllowFrom without counting, for a rule that this instance counts alone.
func (l *Limiter) CheckFrom(r Rule, from remote.Client) error {
	return cmp.Or(l.Check(r, from.LimitKey()), l.CheckNetworks(r, "", from))
}

// ChargeFrom counts an action that was checked with CheckFrom.
func (l *Limiter) ChargeFrom(r Rule, from remote.Client) {
	l.Charge(r, from.LimitKey())
	l.ChargeNetworks(r, "", from, 1)
}

// CheckNetworks fails if a network of the client has reached its limit. It counts nothing.
func (l *Limiter) CheckNetworks(r Rule, about string, from remote.Client) (err error) {
	for _, n := range from.Networks() {
		if err == nil {
			err = l.check(r, UnitsNetwork, about+n.Key, n.Times)
		}
	}
	return err
}

// ChargeNetworks counts n actions for the networks of a client, but not for its address.
func (l *Limiter) ChargeNetworks(r Rule, about string, from remote.Client, n int) {
	for _, network := range from.Networks() {
		l.charge(r, about+network.Key, network.Times, n)
	}
}

// AllowBytes counts the size of an uploaded file, in megabytes, for its user and for the widest network of the client.
func (l *Limiter) AllowBytes(ctx context.Context, userID string, from remote.Client, bytes int64) error {
	megabytes := int(1 + bytes>>20)
	err := l.AllowCost(ctx, ImportSize, userID, megabytes)
	if network := from.WidestNetwork(); err == nil && network != "" {
		err = l.AllowCost(ctx, ImportSizeNetwork, network, megabytes)
	}
	return err
}

// Check is Allow without counting, for a rule that this instance counts alone.
func (l *Limiter) Check(r Rule, key string) error { return l.check(r, r, key, 1) }

// Charge counts an action that was checked, when it is certain whose it is.
func (l *Limiter) Charge(r Rule, key string) { l.charge(r, key, 1, 1) }

// check fails with the message of a rule if the limit of another, times a factor, is used up.
func (l *Limiter) check(r, message Rule, key string, times int) error {
	if often, limited := l.Rates.rate(r); limited {
		return TooMany(message, l.local.wait(r, often.times(times), key))
	}
	return nil
}

func (l *Limiter) charge(r Rule, key string, times, n int) {
	if often, limited := l.Rates.rate(r); limited {
		l.local.charge(r, often.times(times), key, n)
	}
}

func (r Rate) times(n int) Rate { return Rate{r.Count * n, r.Per} }

// CheckUnits fails if a network of the client has used up its request units and the user needs them: an anonymous
// visitor, or a new user beyond the units of their own. Others never fail.
func (l *Limiter) CheckUnits(u domain.User, from remote.Client) (err error) {
	if l.hasOwnUnits(u, from) {
		return nil
	}
	for _, n := range unitNetworks(from) {
		err = cmp.Or(err, l.check(UnitsNetwork, UnitsNetwork, n.Key, n.Times))
	}
	return err
}

// hasOwnUnits reports whether the networks of a user do not pay for the next request. New users have some units of
// their own. Those of all new users of a network are limited, too, because one network can create many of them.
func (l *Limiter) hasOwnUnits(u domain.User, from remote.Client) bool {
	often, limited := l.Rates.rate(UnitsNetwork)
	if u.ID == "" || !limited || !isNew(u) {
		return u.ID != ""
	}
	wait := l.local.wait(UnitsNetwork, often.ofNewUser(), u.ID)
	for _, n := range unitNetworks(from) {
		wait = max(wait, l.local.wait(UnitsNetwork, often.ofNewUsers(n), newUsersOf(n)))
	}
	return wait == 0
}

func isNew(u domain.User) bool { return u.Untrusted(domain.DefaultReviewPeriod, time.Now()) }

func (r Rate) ofNewUser() Rate { return Rate{max(1, r.Count/8), r.Per} }

// ofNewUsers is the rate of the units that the new users of a network have of their own: half of the network's.
func (r Rate) ofNewUsers(n remote.Network) Rate { return Rate{max(1, r.Count*n.Times/2), r.Per} }

func newUsersOf(n remote.Network) string { return "new users of " + n.Key }

// ChargeUnits counts the request units of a request. Users pay for them, except administrators. The networks of the
// client pay for anonymous visitors, and for new users beyond the units of their own.
func (l *Limiter) ChargeUnits(u domain.User, from remote.Client, units float64) {
	n := int(math.Ceil(units))
	if u.ID != "" && !u.Role.MayAdminister() {
		l.charge(UnitsUser, u.ID, 1, n)
	}
	if l.hasOwnUnits(u, from) {
		if often, limited := l.Rates.rate(UnitsNetwork); limited && isNew(u) {
			l.local.charge(UnitsNetwork, often.ofNewUser(), u.ID, n)
			for _, network := range unitNetworks(from) {
				l.local.charge(UnitsNetwork, often.ofNewUsers(network), newUsersOf(network), n)
			}
		}
		return
	}
	for _, network := range unitNetworks(from) {
		l.charge(UnitsNetwork, network.Key, network.Times, n)
	}
}

// unitNetworks returns the networks of a client and its address, which has half of the units of the smallest, but a /64
// as much as a /56, so that a writer in it can save a long draft often.
func unitNetworks(from remote.Client) []remote.Network {
	networks := from.Networks()
	if len(networks) > 0 {
		networks = append(networks, remote.Network{Key: from.LimitKey(), Times: max(2, networks[0].Times/2)})
	}
	return networks
}
