package response

import (
	"fmt"
	"strconv"
	"strings"
)

// DefaultStrictTransport is of a year, and not of other hosts of the domain, which are not
// ours to speak for.
const DefaultStrictTransport = "max-age=31536000"

// preloadTime is what browsers' lists ask for at least, in seconds.
const preloadTime = 31536000

// ParseStrictTransport checks what Strict-Transport-Security is to say, such as
// "max-age=63072000; includeSubDomains; preload", and writes it the usual way. The word
// off is nothing at all: browsers then remember what they were told before, unless
// max-age=0 has them forget it.
func ParseStrictTransport(text string) (string, error) {
	if strings.TrimSpace(text) == "off" {
		return "", nil
	}
	age, subdomains, preload := -1, false, false
	for part := range strings.SplitSeq(text, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch strings.ToLower(name) {
		case "max-age":
			n, err := strconv.ParseInt(value, 10, 32)
			if err != nil || n < 0 {
				return "", fmt.Errorf("max-age is not a number of seconds: %q", value)
			}
			age = int(n)
		case "includesubdomains":
			subdomains = true
		case "preload":
			preload = true
		default:
			return "", fmt.Errorf("%q is none of max-age=SECONDS, includeSubDomains and preload",
				strings.TrimSpace(part))
		}
	}
	if age < 0 {
		return "", fmt.Errorf("%q has no max-age=SECONDS", text)
	}
	if preload && (!subdomains || age < preloadTime) {
		return "", fmt.Errorf("preload needs includeSubDomains and a max-age of %d at least", preloadTime)
	}
	header := fmt.Sprint("max-age=", age)
	if subdomains {
		header += "; includeSubDomains"
	}
	if preload {
		header += "; preload"
	}
	return header, nil
}
