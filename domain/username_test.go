package domain_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

func TestUsernameMayBeInAnyScript(t *testing.T) {
	for typed, want := range map[string]string{
		"ada":                                 "ada",
		"Ada_Lovelace-2":                      "Ada_Lovelace-2",
		"42":                                  "42",
		"Zoë":                                 "Zoë",
		"Zoe\u0308":                           "Zoë", // with a combining mark
		"ＡＤＡ":                                 "ADA", // wide
		"ﬁne":                                 "fine",
		"ada²":                                "ada2",
		"  ada ":                              "ada",
		"Straße":                              "Straße",
		"İstanbul":                            "İstanbul",
		"东京":                                  "东京",
		"東京":                                  "東京",
		"ひらカタ漢字":                              "ひらカタ漢字",
		"ラーメン":                                "ラーメン",
		"tokyo東京":                             "tokyo東京", // no Latin letter looks like these
		"한국漢字":                                "한국漢字",
		"ㄅㄆ漢字":                                "ㄅㄆ漢字",
		"Иван-Петров":                         "Иван-Петров",
		"αλφα_1":                              "αλφα_1",
		"שלום":                                "שלום",
		"محمد٢":                               "محمد٢",
		"नमस्ते":                              "नमस्ते",
		"हिन्दी१":                             "हिन्दी१",
		"ไทยดี":                               "ไทยดี",
		"தமிழ்":                               "தமிழ்",
		"ქართული":                             "ქართული",
		"հայերեն":                             "հայերեն",
		"한국abc":                               "한국abc",
		"ㅋㅋ한국":                                "\u110f\u110f한국",
		"አማርኛ":                                "አማርኛ",
		"Việt":                                "Việt",
		"ᾂδω":                                 "ᾂδω", // one letter with three marks
		"Ọ̀ṣun":                               "Ọ̀ṣun",
		"رأَّس":                               "رأَّس",
		strings.Repeat("界", 30):               strings.Repeat("界", 30),
		strings.Repeat("न\u093f", 30):         strings.Repeat("न\u093f", 30),
		strings.Repeat("x", 30):               strings.Repeat("x", 30),
		"a\u0331\u0301" + "b":                 "a\u0331\u0301b", // á with a line below: two marks, as languages have
		"\u05e9\u05c1\u05b8" + "\u05dc\u05d5": "\u05e9\u05c1\u05b8\u05dc\u05d5",
	} {
		got, err := domain.CleanUsername(typed)
		if err != nil || norm.NFC.String(got) != norm.NFC.String(want) {
			t.Errorf("%q: got %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestMisleadingUsernameIsRejected(t *testing.T) {
	for what, names := range map[string][]string{
		"too short or too long": {"", "a", "界", strings.Repeat("x", 31), strings.Repeat("界", 31),
			strings.Repeat("ß", 30), "e\u0301"},
		"an invisible character": {
			"ad\u200ba", "ad\u200da", "ad\u200ca", "\ufeffada", "ad\u2060a", "ad\u00ada", "ad\u034fa", "ad\u115fa",
			"ad\u1160a",
			"ad\u3164a", "ad\uffa0a", "ad\ufe0fa", "ad\u180ba", "ad\u17b4a", "ad\U000e0061a", "ad\U000e0100a",
			"ad\u2063a"},
		"directions":  {"ad\u202ea", "ad\u202da", "ad\u2066a", "ad\u2069a", "ad\u200ea", "ad\u200fa", "ad\u061ca"},
		"controls":    {"ad\x00a", "ad\x1ba", "ad\na", "ad\ta", "ad\u0085a", "ad\u2028a"},
		"white space": {"a da", "ad\u00a0a", "ad\u3000a", "ad\u2003a"},
		"no letters": {"ada!", "ada.b", "ada@b", "a/b", `a\b`, "a?b", "a#b", "a%b", "a'b", "ada✓", "ada✔", "ada☑",
			"ada😀", "😀😀", "ada™️", "a+b", "a·b",
			"adaʼ", "aʻda", "adaـ", "1⃣2", "ada\u20dd", "ada〆", "½½½"},
		"joints":                 {"-ada", "ada-", "_ada", "ada_", "a--da", "a__da", "a-_da", "a_-da", "--"},
		"marks without a letter": {"\u0301ada", "ada-\u0301", "\u0301\u0301"},
		"too many accents": {"a\u0316\u0317\u0318\u0301b", "a\u0301\u0302\u0303b", "e\u0301\u0301b",
			"q\u0307\u0307q", "ế\u0323\u0301b", "á\u0302\u0303b", "न\u093c\u0941\u0942\u0943\u0944न"},
		"letters of two scripts": {
			"аda",    // Cyrillic а
			"раypal", // Cyrillic ра
			"pаypal", "gооgle", "adα", "ɑдa", "Αda", "ада1a", "ada东б", "ひらא", "한국ひら", "ㄅひら", "g\u110b\u110bgle",
			"ada\u1175", "maㄨ", "ㄥisa", "\u1102ada", "adaӀ", "ꓮda", "Ꭺda", "a\u0345da", "한국б"},
		"digits of two numeral systems":     {"ada1١", "محمد٢2", "हिन्दी1१", "محمد٢۲"},
		"private and unassigned characters": {"ad\ue000a", "ad\U000f0000a", "ad\u0378a", "ad\ufffea", "ad\uffffa"},
		"invalid UTF-8":                     {"ad\xffa", "\xc3\x28ada"},
		"not in normal form":                {"ＡＤＡ", "ﬁne", "Zoe\u0308", "ᵃᵈᵃ", "𝐚𝐝𝐚", "ﷺﷺ", "Ⅷa", "ⓐⓓⓐ"},
		"ids":                               {domain.NewUserID(nil), "email.ab", "skeleton.ab", "..", "."},
	} {
		t.Run(what, func(t *testing.T) {
			for _, name := range names {
				if err := domain.CheckUsername(name); !domain.Is(err, domain.Invalid) {
					t.Errorf("%q (%+q) is accepted, error %v", name, name, err)
				}
			}
		})
	}
}

func TestUsernamesAreUniqueIgnoringCase(t *testing.T) {
	for _, same := range [][]string{
		{"ada", "Ada", "ADA", "ＡＤＡ", "𝐀da"},
		{"straße", "STRASSE", "Strasse", "STRAẞE"},
		{"ΣΊΣΥΦΟΣ", "σίσυφος", "σίσυφοσ"},
		{"ИВАН", "иван"},
		{"Zoë", "ZOE\u0308", "zoë"},
		{"ﬁne", "FINE"},
		{"ǅungla", "ǆungla", "dŽungla"},
		{"ﾗｰﾒﾝ", "ラーメン"},
		{"İi", "i\u0307i", "ii", "ıı"},
		{"İpek", "ipek", "IPEK", "ıpek"},
		{"ᏣᎳᎩ", "Ꮳꮃꭹ", "ꮳꮃꭹ"},
	} {
		for _, name := range same {
			if got, want := names.NameKey(name), names.NameKey(same[0]); got != want {
				t.Errorf("%s has the key %q, but %s has %q", name, got, same[0], want)
			}
		}
	}
	for _, other := range [][2]string{{"i", "í"}, {"ilk", "ílk"}, {"か", "が"}, {"か", "カ"}, {"ada", "ádа"}, {"и", "й"}} {
		if names.NameKey(other[0]) == names.NameKey(other[1]) {
			t.Errorf("%s and %s have the same key", other[0], other[1])
		}
	}
	if got := names.NameKey("Ada_Lovelace-2"); got != "ada_lovelace-2" {
		t.Errorf("the key of an old name changes to %q", got)
	}
}

func TestNamesThatLookAlikeHaveTheSameSkeleton(t *testing.T) {
	for _, alike := range [][]string{
		{"paypal", "PayPaI", "paypa1", "PAYPAL", "paypaI", "раураӏ"},
		{"mark", "Mark", "rnark", "MARK"},
		{"ape", "аре", "АРЕ"},
		{"root", "r00t", "ROOT", "rооt"},
		{"istanbul", "ıstanbul", "i\u0307stanbul"},
		{"ada-b", "ada_b"},
		{"ノート", "ノ一ト"},
		{"二人", "ニ人"},
		{"カード", "力ード"},
		{"liam", "ʟiam", "ʟɪᴀᴍ", "丨iam"},
		{"kate", "ĸate"},
		{"ada-b", "ada一b", "adaーb"},
		{"Straße", "strasse"},
		{"東京", "東京"},
	} {
		for _, name := range alike {
			if got, want := names.Skeleton(name), names.Skeleton(alike[0]); got != want {
				t.Errorf("%s has the skeleton %q, but %s has %q", name, got, alike[0], want)
			}
		}
	}
	for _, differ := range [][2]string{{"ada", "bob"}, {"東京", "京東"}, {"Zoë", "Zoe"}, {"иван", "ivan"}, {"か", "が"},
		{"user2", "user3"}} {
		if names.Skeleton(differ[0]) == names.Skeleton(differ[1]) {
			t.Errorf("%s and %s have the same skeleton", differ[0], differ[1])
		}
	}
}

func TestReservedNamesAreRejectedForNewUsersOnly(t *testing.T) {
	for _, name := range []string{"admin", "Admin", "ADMINISTRATOR", "adrnin", "adm1n", "ad-min", "a_d_m_i_n", "r00t",
		"supp0rt", "Inkfeed", "inkfееd", "posts",
		"settings", "deleted", "еvеrуоnе", "ＲＯＯＴ", "admin2", "admin-ada", "ada_moderator", "inkfeed-support",
		"lnkfeedHelp", "support-team", "the-support",
		"help-1", "Администратор", "Ада_админ", "網站管理員", "관리자", "المشرف"} {
		if _, err := domain.NewUser(name, time.Now()); !domain.Is(err, domain.Invalid) {
			t.Errorf("%s is accepted for a new user: error %v", name, err)
		}
	}
	for _, name := range []string{"admin", "root", "settings"} {
		if err := domain.CheckUsername(name); err != nil {
			t.Errorf("%s is rejected for an existing user: error %v", name, err)
		}
	}
	for _, name := range []string{"adminton", "rooty", "badmin", "ada", "helpful", "postman", "東京", "max-root",
		"new-york", "the-ada", "42", "post-punk", "systemofadown"} {
		if user, err := domain.NewUser(name, time.Now()); err != nil || user.Username != name {
			t.Errorf("%s: %+v, %v", name, user, err)
		}
	}
}

func FuzzUsername(f *testing.F) {
	for _, seed := range []string{"ada", "Straße", "東京", "İi", "раураӏ", "a\u0345", "ΐΰ", "ﷺ", "नमस्ते", "ﾗｰﾒﾝ", "Ꮿꮿ",
		"ŉa", "ẞẞ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		key := names.NameKey(typed)
		if again := names.NameKey(key); again != key {
			t.Errorf("%+q: the key of %+q is %+q", typed, key, again)
		}
		name, err := domain.CleanUsername(typed)
		if err != nil {
			return
		}
		if !norm.NFKC.IsNormalString(name) {
			t.Errorf("%+q becomes %+q, which is not in NFKC", typed, name)
		}
		if again, err := domain.CleanUsername(name); again != name || err != nil {
			t.Errorf("%+q becomes %+q, which becomes %+q, error %v", typed, name, again, err)
		}
		if err := domain.CheckUsername(names.NameKey(name)); err != nil {
			t.Errorf("%+q is accepted, but its key is not: error %v", name, err)
		}
		if n := len(names.NameKey(name)); n > 1023 || strings.ContainsAny(names.NameKey(name), `/\?#.`) {
			t.Errorf("the key of %+q is too long for an id: %d bytes", name, n)
		}
		if skeleton := names.Skeleton(name); skeleton == "" || names.Skeleton(skeleton) != skeleton {
			t.Errorf("%+q has the skeleton %+q, whose skeleton is %+q", name, skeleton, names.Skeleton(skeleton))
		}
	})
}
