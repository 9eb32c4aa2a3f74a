package names

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"inkfeed/domain/plaintext"
)

// offices are titles that readers would trust. No word of a name may be one of them.
const offices = `
	administrator administrators admin admins moderator moderators sysadmin sysadmins superuser official verified
	postmaster webmaster hostmaster
	administratorin moderatorin administrateur administratrice modérateur modératrice moderateur moderatrice
	administrador administradora moderador moderadora amministratore amministratrice moderatore moderatrice beheerder
	yönetici moderatör админ админы администратор администраторы модератор модераторы адміністратор διαχειριστής
	مشرف المشرف المشرفون מנהל המנהל מנהלת`

// unspacedOffices are titles in languages without spaces between words, and the name of the site. No name may contain
// one of them.
const unspacedOffices = `inkfeed 管理员 管理員 管理者 管理人 版主 官方 モデレーター 관리자 운영자`

// reservedNames are other words that a name must not consist of: words that could be mistaken for an office, and the
// first segments of this site's paths.
const reservedNames = `
	mod mods root system staff team support help helpdesk security abuse info contact
	anonymous anybody deleted everyone everybody nobody all null undefined unknown
	api login logout signup signin signout register account accounts session sessions password confirm reset verify
	settings profile search feed feeds tag tags authors posts post comments comment likes like drafts draft new write
	edit delete bookmarks images media static assets preview previews archive versions health healthz livez readyz
	metrics about terms privacy imprint legal sitemap robots manifest oembed moderation report reports invitations
	invite users user audit well-known`

// reservedAddresses are first segments of addresses that no import claims: those of this site's pages, except the ones
// that most old blogs have too (posts, tags, feed, search), and those of the pages where visitors log in.
const reservedAddresses = `
	accent admin bookmarks brand confirm drafts favicon goodbye healthz images login logout mail manifest media
	moderation new notifications oembed passkeys preview readyz reset robots settings signup sitemap static subscribe
	suggest trash verify-email welcome
	account accounts administrator auth authorize oauth sso saml oidc signin signout signoff logon logoff register
	password passwd password-reset forgot-password passkey mfa otp verify recover
	wp-admin wp-login wp-json wp-signup wp-content wp-includes xmlrpc cgi-bin`

// trustedAddresses are words that visitors trust as well, and offices are too. No import claims them, but old blogs
// have such categories, so administrators decide about the longer addresses below them.
const trustedAddresses = `
	2fa passwords registration verification recovery session sessions wallet payment payments billing checkout
	api graphql metrics debug ops
	sitemap_index humans ads security crossdomain browserconfig apple-touch-icon`

// listAddresses are first segments of the addresses of old blogs' lists and feeds.
const listAddresses = `
	tag tags category categories topic topics label labels author authors archive archives page feed feeds rss
	rss2 atom search`

// plainWords do not make a reserved name acceptable, as in "The Support Team".
const plainWords = `the of for at on in by from your our my this site blog page web main desk`

// wordLists holds the skeletons of the words above.
type wordLists struct {
	offices, reserved, plain  map[string]bool
	addresses, trusted, lists map[string]bool
	unspaced                  []string
}

var reservedWords = sync.OnceValue(func() wordLists {
	looks := func(words string) map[string]bool {
		set := make(map[string]bool)
		for _, word := range strings.Fields(words) {
			// I is mistaken for l, but i is not.
			for _, written := range []string{word, strings.ToUpper(word),
				strings.ToUpper(plaintext.FirstCharacter(word)) + word[len(plaintext.FirstCharacter(word)):]} {
				set[bareSkeleton(written)] = true
			}
		}
		return set
	}
	lists := wordLists{offices: looks(offices), reserved: looks(reservedNames), plain: looks(plainWords),
		addresses: looks(reservedAddresses), trusted: looks(trustedAddresses), lists: looks(listAddresses)}
	for look := range looks(unspacedOffices) {
		lists.unspaced = append(lists.unspaced, look)
	}
	return lists
})

// bareSkeleton returns the skeleton of a name without the characters between letters.
func bareSkeleton(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return r
		}
		return -1
	}, Skeleton(name))
}

// looksLike reports whether the first segment of an address, without its file extension, looks like one of the words:
// as it is, or without the number at its end.
func looksLike(segment string, lists ...map[string]bool) bool {
	base, _, _ := strings.Cut(segment, ".")
	whole, bare := bareSkeleton(base), bareSkeleton(strings.TrimRightFunc(base, unicode.IsDigit))
	return slices.ContainsFunc(lists, func(looks map[string]bool) bool { return looks[whole] || looks[bare] })
}

// IsReservedAddress reports whether no import may claim addresses with this first segment.
func IsReservedAddress(segment string) bool { return looksLike(segment, reservedWords().addresses) }

// IsTrustedAddress reports whether no import may claim the address of this segment alone.
func IsTrustedAddress(segment string) bool {
	return looksLike(segment, reservedWords().trusted, reservedWords().offices)
}

// IsListAddress reports whether addresses with this first segment are those of lists or feeds.
func IsListAddress(segment string) bool { return looksLike(segment, reservedWords().lists) }

// IsReserved reports whether a name claims to be an office or the site, or consists only of reserved words, as a
// whole or word by word.
func IsReserved(name string) bool {
	lists := reservedWords()
	whole := bareSkeleton(name)
	if lists.offices[whole] || lists.reserved[whole] ||
		slices.ContainsFunc(lists.unspaced, func(look string) bool { return strings.Contains(whole, look) }) {
		return true
	}
	all, any := true, false
	for _, word := range strings.FieldsFunc(name,
		func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		bare := strings.TrimRightFunc(word, unicode.IsDigit) // admin2 is treated like admin
		if lists.offices[bareSkeleton(word)] || lists.offices[bareSkeleton(bare)] {
			return true
		}
		switch look := bareSkeleton(word); {
		case lists.reserved[look]:
			any = true
		case bare != "" && !lists.plain[look]:
			all = false
		}
	}
	return all && any
}
