package client

import (
	"strings"
	"unicode"

	"github.com/mileusna/useragent"

	"inkfeed/domain/plaintext"
)

const (
	maxUserAgent = 500 // bytes of the header that are looked at
	maxDevice    = 60
)

// Device says in a few words with what somebody reads: "Firefox on Windows". It is told to
// nobody but that user, and decides nothing.
func Device(userAgent string) string {
	if len(userAgent) > maxUserAgent {
		userAgent = userAgent[:maxUserAgent]
	}
	ua := useragent.Parse(strings.Map(printed, strings.ToValidUTF8(userAgent, "")))
	browser, system := ua.Name, ua.OS
	if ua.Bot || plaintext.Characters(browser) > maxDevice/2 {
		browser = ""
	}
	if plaintext.Characters(system) > maxDevice/2 {
		system = ""
	}
	switch {
	case browser == "" && system == "":
		return "Unknown browser"
	case browser == "":
		return "Unknown browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}

// printed drops what would begin a line of a mail, or turn what follows around.
func printed(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}
