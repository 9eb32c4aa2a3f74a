package client

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

// Proxies are the addresses whose word about a request is believed: the others could say
// anything. The zero value believes nobody.
type Proxies struct{ trusted []netip.Prefix }

// loopback are the addresses of this machine.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

// ParseProxies reads a list of addresses and ranges such as "10.0.0.7, 10.1.0.0/16",
// separated by commas. The word loopback stands for this machine.
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

func (p Proxies) trust(addr netip.Addr) bool {
	return slices.ContainsFunc(p.trusted, func(one netip.Prefix) bool { return one.Contains(addr) })
}

// Client is where a request comes from.
type Client struct {
	addr netip.Addr // the zero address: not known
	Tls  bool       // whether the visitor's connection is encrypted
	// stranger says that the request was forwarded, by nobody who is believed.
	stranger bool
}

// Of finds the client of a request. Each proxy appends whom it was called by, so the list
// is read from its end, as far as those who wrote it are believed.
func (p Proxies) Of(r *http.Request) Client {
	addr, _ := parseHop(r.RemoteAddr)
	found := Client{addr: addr, Tls: r.TLS != nil}
	hops := forwarded(r.Header, echo.HeaderXForwardedFor)
	if !p.trust(addr) {
		found.stranger = len(hops) > 0
		return found
	}
	if scheme := forwarded(r.Header, echo.HeaderXForwardedProto); len(scheme) > 0 {
		found.Tls = strings.EqualFold(scheme[len(scheme)-1], "https")
	}
	for _, hop := range slices.Backward(hops) {
		addr, ok := parseHop(hop)
		if !ok {
			break
		}
		if found.addr = addr; !p.trust(addr) {
			break
		}
	}
	return found
}

// forwarded are the values of a header that proxies append to.
func forwarded(h http.Header, name string) []string {
	var all []string
	for _, line := range h.Values(name) {
		for value := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}

// parseHop reads an address that may have a port, as those of Azure have.
func parseHop(text string) (netip.Addr, bool) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone(""), true
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}

// Group is the client's address as limits count it: one line has a whole /64 of IPv6.
func (c Client) Group() string {
	if c.addr.Is6() {
		if prefix, err := c.addr.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return c.addr.String()
}

type clientKey struct{}

// Of is the client that identify found.
func Of(r *http.Request) Client {
	c, _ := r.Context().Value(clientKey{}).(Client)
	return c
}

// Identify finds each request's client once, before anything asks for it.
func (p Proxies) Identify(logger *slog.Logger) echo.MiddlewareFunc {
	var tell sync.Once
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			found := p.Of(r)
			if found.stranger {
				tell.Do(func() {
					logger.Warn("a request says that it was forwarded, and its sender is not believed: if that is "+
						"your proxy, name it in --trusted-proxies or INKFEED_TRUSTED_PROXIES",
						"sender", found.addr)
				})
			}
			c.SetRequest(r.WithContext(context.WithValue(r.Context(), clientKey{}, found)))
			return next(c)
		}
	}
}

// TLS reports whether the visitor's connection is encrypted.
func TLS(r *http.Request) bool { return Of(r).Tls }
