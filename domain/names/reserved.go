package names

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"inkfeed/domain/plaintext"
)

// offices are those that a reader would believe. No word of a name is one.
const offices = `
	administrator administrators admin admins moderator moderators sysadmin sysadmins superuser official verified
	postmaster webmaster hostmaster
	administratorin moderatorin administrateur administratrice modérateur modératrice moderateur moderatrice
	administrador administradora moderador moderadora amministratore amministratrice moderatore moderatrice beheerder
	yönetici moderatör админ админы администратор администраторы модератор модераторы адміністратор διαχειριστής
	مشرف المشرف المشرفون מנהל המנהל מנהלת`

// unspacedOffices are of languages that put no spaces between words, and so is the name of
// the site itself: no name has one in it.
const unspacedOffices = `inkfeed 管理员 管理員 管理者 管理人 版主 官方 モデレーター 관리자 운영자`

// reservedNames are other words that nobody is called by: what may be taken for an office,
// and the first words of addresses on this site.
const reservedNames = `
	mod mods root system staff team support help helpdesk security abuse info contact
	anonymous anybody deleted everyone everybody nobody all null undefined unknown
	api login logout signup signin signout register account accounts session sessions password confirm reset verify
	settings profile search feed feeds tag tags posts post comments comment likes like drafts draft new write
	edit delete bookmarks images media static assets preview previews archive versions health healthz livez readyz
	metrics about terms privacy imprint legal sitemap robots manifest oembed moderation report reports invitations invite
	users user audit well-known`

// plainWords name nobody beside reserved ones, as in The Support Team.
const plainWords = `the of for at on in by from your our my this site blog page web main desk`

// wordLists are those words by what is left of their looks.
type wordLists struct {
	offices, reserved, plain map[string]bool
	unspaced                 []string
}

var reservedWords = sync.OnceValue(func() wordLists {
	looks := func(words string) map[string]bool {
		set := make(map[string]bool)
		for _, word := range strings.Fields(words) {
			// I is taken for l, and i is not.
			for _, written := range []string{word, strings.ToUpper(word), strings.ToUpper(plaintext.FirstCharacter(word)) + word[len(plaintext.FirstCharacter(word)):]} {
				set[bareSkeleton(written)] = true
			}
		}
		return set
	}
	lists := wordLists{offices: looks(offices), reserved: looks(reservedNames), plain: looks(plainWords)}
	for look := range looks(unspacedOffices) {
		lists.unspaced = append(lists.unspaced, look)
	}
	return lists
})

// bareSkeleton is what is left of a name's look without all that stands between letters.
func bareSkeleton(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.N, unicode.M) {
			return r
		}
		return -1
	}, Skeleton(name))
}

// IsReserved tells whether a name claims to be an office or the site, or consists of
// nothing but reserved words, as a whole or one by one.
func IsReserved(name string) bool {
	lists := reservedWords()
	whole := bareSkeleton(name)
	if lists.offices[whole] || lists.reserved[whole] ||
		slices.ContainsFunc(lists.unspaced, func(look string) bool { return strings.Contains(whole, look) }) {
		return true
	}
	all, any := true, false
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		bare := strings.TrimRightFunc(word, unicode.IsDigit) // admin2 is another admin
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
