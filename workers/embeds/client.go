// Package embeds fetches the titles and thumbnails of embeds, once for each revision of a post.
package embeds

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Limits of a request.
const (
	fetchTimeout   = 10 * time.Second
	maxRedirects   = 3
	maxDescription = 64 << 10 // bytes
	maxPicture     = 5 << 20
	// hostPause is the time between two requests for one host.
	hostPause = 500 * time.Millisecond
	userAgent = "Inkfeed/1.0 (cards of links)"
)

// ErrRefused reports an answer or an address that another attempt would not change.
var ErrRefused = errors.New("embeds: refused")

// denied are the networks that no request reaches: loopback, private, shared, link-local, reserved and multicast
// addresses, those of documentation and benchmarks, and the address of Azure's platform. Of IPv6, denied lists
// parts of 2000::/3, outside of which only NAT64 is allowed.
var denied = prefixes("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")

var (
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(list ...string) (all []netip.Prefix) {
	for _, p := range list {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}

// public reports whether an address is one of the internet.
func public(ip netip.Addr) bool {
	if ip = ip.Unmap(); nat64.Contains(ip) { // it leads to the last four bytes
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	return ip.Zone() == "" && (ip.Is4() || global6.Contains(ip)) &&
		!slices.ContainsFunc(denied, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// checkAddress refuses a connection to an address that is not public, and to other ports than that of https. It is
// called with the address that is connected to, after names were resolved.
func checkAddress(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !public(at.Addr()) || at.Port() != 443 {
		return fmt.Errorf("%w: %s is not a public address for https", ErrRefused, address)
	}
	return nil
}

// Dial opens a connection. Tests replace it.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// DialPublic connects to public addresses only.
var DialPublic Dial = (&net.Dialer{Timeout: 5 * time.Second, ControlContext: checkAddress}).DialContext

// Client fetches from the internet within limits. It sends no cookies, and uses no proxy.
type Client struct {
	http http.Client
	mu   sync.Mutex
	next map[string]time.Time // when the next request for a host may begin
}

// NewClient returns a client. TLS may be nil.
func NewClient(dial Dial, tls *tls.Config) *Client {
	return &Client{next: make(map[string]time.Time), http: http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{DialContext: dial, TLSClientConfig: tls, TLSHandshakeTimeout: fetchTimeout / 2,
			MaxResponseHeaderBytes: 16 << 10, DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			r.Header.Del("Referer")
			if len(via) > maxRedirects || !allowed(r.URL) {
				return fmt.Errorf("%w: a redirect", ErrRefused)
			}
			return nil
		},
	}}
}

func allowed(u *url.URL) bool { return u.Scheme == "https" && u.User == nil && u.Hostname() != "" }

// get fetches at most limit bytes. A longer answer is refused, unless the rest may be cut.
func (c *Client) get(ctx context.Context, address string, limit int64, cut bool) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil || !allowed(r.URL) {
		return nil, fmt.Errorf("%w: the address %q", ErrRefused, address)
	}
	if err := c.await(ctx, r.URL.Hostname()); err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", userAgent)
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	switch code := answer.StatusCode; {
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code >= 500:
		return nil, fmt.Errorf("embeds: status %d", code)
	case code != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", ErrRefused, code)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err == nil && int64(len(body)) > limit && !cut {
		err = fmt.Errorf("%w: more than %d bytes", ErrRefused, limit)
	}
	return body, err
}

// await waits until the next request for a host may begin.
func (c *Client) await(ctx context.Context, host string) error {
	c.mu.Lock()
	now := time.Now()
	for other, next := range c.next {
		if next.Before(now) {
			delete(c.next, other)
		}
	}
	at := now
	if c.next[host].After(now) {
		at = c.next[host]
	}
	c.next[host] = at.Add(hostPause)
	c.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}
