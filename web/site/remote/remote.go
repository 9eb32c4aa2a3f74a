// Package remote determines which address and connection a request comes from, and which device it
// names.
package remote

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

// Proxies are the proxies whose X-Forwarded headers are trusted. The zero value trusts none.
type Proxies struct{ trusted []netip.Prefix }

// loopback are the addresses of this machine.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// ParseProxies reads a list of addresses and ranges, separated by commas, such as "10.0.0.7,
// 10.1.0.0/16". The word loopback stands for this machine.
func ParseProxies(text string) (Proxies, error) {
	var p Proxies
	for part := range strings.SplitSeq(text, ",") {
		switch part = strings.TrimSpace(part); {
		case part == "":
			continue
		case part == "loopback":
			p.trusted = append(p.trusted, loopback...)
			continue
		}
		prefix, err := parseRange(part)
		if err != nil {
			return Proxies{}, fmt.Errorf("%q is neither an address, nor a range such as 10.1.0.0/16, nor the word "+
				"loopback", part)
		}
		p.trusted = append(p.trusted, prefix)
	}
	return p, nil
}

func parseRange(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		prefix, err := netip.ParsePrefix(text)
		return prefix.Masked(), err
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return addr.Unmap().Prefix(addr.Unmap().BitLen())
}

func (p Proxies) trusts(addr netip.Addr) bool {
	return slices.ContainsFunc(p.trusted, func(one netip.Prefix) bool { return one.Contains(addr) })
}

// Sent reports whether a trusted proxy sent a request.
func (p Proxies) Sent(r *http.Request) bool {
	addr, ok := parseHop(r.RemoteAddr)
	return ok && p.trusts(addr)
}

// Client is the visitor's side of a request.
type Client struct {
	addr netip.Addr // the zero address: unknown
	TLS  bool       // whether the visitor's connection is encrypted
	// untrusted reports whether the request was forwarded by a sender that is not a trusted proxy.
	untrusted bool
	// alone reports that the limits of networks do not apply to the address.
	alone bool
}

// Of returns the client of a request. Each proxy appends the address of its client to
// X-Forwarded-For. So Of reads the header from its end, for as long as the addresses are trusted
// proxies.
func (p Proxies) Of(r *http.Request) Client {
	addr, _ := parseHop(r.RemoteAddr)
	found := Client{addr: addr, TLS: r.TLS != nil}
	hops := headerValues(r.Header, echo.HeaderXForwardedFor)
	if !p.trusts(addr) {
		found.untrusted = len(hops) > 0
		return found
	}
	if scheme := headerValues(r.Header, echo.HeaderXForwardedProto); len(scheme) > 0 {
		found.TLS = strings.EqualFold(scheme[len(scheme)-1], "https")
	}
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(hop)
		if !ok {
			break
		}
		if found.addr = addr; !p.trusts(addr) {
			break
		}
	}
	found.alone = p.trusts(found.addr)
	return found
}

// headerValues returns the values of a header that proxies append to.
func headerValues(h http.Header, name string) []string {
	var all []string
	for _, line := range h.Values(name) {
		for value := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}

// parseHop parses an address with an optional port, which Azure adds.
func parseHop(text string) (netip.Addr, bool) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}

// LimitKey returns the client's address as a key for rate limits. An IPv6 address counts as its /64
// network, which belongs to one customer.
func (c Client) LimitKey() string {
	if c.addr.Is6() {
		if prefix, err := c.addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return c.addr.String()
}

// Network is a network of the Internet, with limits of its own.
type Network struct {
	Key string // its prefix, as a key for rate limits
	// Times is how many times as much as one address all its addresses may do together.
	Times int
}

// Networks returns the networks above the LimitKey of an address, the smallest first. A customer has a /56 or a /48 of
// IPv6; a /24 of IPv4 can be a school or a carrier. Proxies and addresses that are not part of the Internet have none,
// because many visitors may share them.
func (c Client) Networks() []Network {
	switch {
	case c.alone || !c.addr.IsValid() || isInternal(c.addr):
		return nil
	case c.addr.Is4():
		return []Network{c.network(24, 8)}
	}
	return []Network{c.network(56, 2), c.network(48, 4)}
}

// WidestNetwork returns the key of the largest of the networks, or "" if there are none.
func (c Client) WidestNetwork() string {
	networks := c.Networks()
	if len(networks) == 0 {
		return ""
	}
	return networks[len(networks)-1].Key
}

func (c Client) network(bits, times int) Network {
	prefix, _ := c.addr.Prefix(bits) // fails only for more bits than the address has
	return Network{prefix.String(), times}
}

// Alone returns the client for limits that leave out its networks.
func (c Client) Alone() Client {
	c.alone = true
	return c
}

type clientKey struct{}

// Of returns the client that Identify determined for the request.
func Of(r *http.Request) Client {
	c, _ := r.Context().Value(clientKey{}).(Client)
	return c
}

// Identify returns middleware that determines each request's client once. It warns once about
// forwarded requests from an untrusted sender.
func (p Proxies) Identify(logger *slog.Logger) echo.MiddlewareFunc {
	var tell sync.Once
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			found := p.Of(r)
			if found.untrusted {
				tell.Do(func() {
					sender := "a public address"
					if isInternal(found.addr) {
						sender = found.addr.String() // no visitor's
					}
					logger.Warn("a request was forwarded by an untrusted sender: if that is your proxy, add it to "+
						"--trusted-proxies or INKFEED_TRUSTED_PROXIES", "sender", sender)
				})
			}
			c.SetRequest(r.WithContext(context.WithValue(r.Context(), clientKey{}, found)))
			return next(c)
		}
	}
}

// providers is the range of RFC 6598, within which platforms such as Azure Container Apps have their proxies.
var providers = netip.MustParsePrefix("100.64.0.0/10")

// isInternal reports whether an address belongs to a network that is not part of the Internet.
func isInternal(addr netip.Addr) bool {
	return addr.IsPrivate() || addr.IsLoopback() || addr.IsLinkLocalUnicast() || providers.Contains(addr)
}

// TLS reports whether the visitor's connection is encrypted.
func TLS(r *http.Request) bool { return Of(r).TLS }
