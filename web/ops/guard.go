package ops

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// maxBody is the maximum size of a request's body in bytes. The forms for operators are short.
const maxBody = 64 << 10

// guard rejects requests that the page of another site may have caused. An operator's browser can reach addresses that
// the site cannot, such as loopback ones. If the site's own name was changed to resolve to this address (DNS
// rebinding), the browser takes it for the same site, but sends the name as Host. Other requests have headers that name
// the site, unless the browser hides the answer from the page.
func guard(next http.Handler, hosts []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !allowed(r.Host, hosts):
			http.Error(w, "Nothing is served under this name: use an IP address, or add the name to --ops-hosts.",
				http.StatusMisdirectedRequest)
		case !sameOrigin(r):
			http.Error(w, "Requests from pages of other sites are refused.", http.StatusForbidden)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// allowed reports whether a Host header, with any port, has an IP address, a name of this machine or one of the hosts.
func allowed(host string, hosts []string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(host)
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(hosts, host)
}

// sameOrigin reports whether a request comes from a program, from a browser's address bar or from a page of this
// address.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		origin := r.Header.Get("Origin")
		return origin == "" || origin == "http://"+r.Host || origin == "https://"+r.Host
	}
	return false
}
