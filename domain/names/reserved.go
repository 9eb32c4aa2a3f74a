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
	settings profile search feed feeds tag tags posts post comments comment likes like drafts draft new write
	edit delete bookmarks images media static assets preview previews archive versions health healthz livez readyz
	metrics about terms privacy imprint legal sitemap robots manifest oembed moderation report reports invitations
	invite users user audit well-known`

// plainWords do not make a reserved name acceptable, as in "The Support Team".
const plainWords = `the of for at on in by from your our my this site blog page web main desk`

// wordLists holds the skeletons of the words above.
type wordLists struct {
	offices, reserved, plain map[string]bool
	unspaced                 []string
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
	lists := wordLists{offices: looks(offices), reserved: looks(reservedNames), plain: looks(plainWords)}
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
