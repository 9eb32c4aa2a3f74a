package domain_test

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

func TestDisplayNameMayBeInAnyLanguage(t *testing.T) {
	for typed, want := range map[string]string{
		"":                      "",
		" \t ":                  "",
		"  Ada   Lovelace ":     "Ada Lovelace",
		"Ada\nLovelace":         "Ada Lovelace",
		"Ａｄａ":                   "Ada",
		"Zoe\u0308":             "Zoë",
		"O'Neill & Sons":        "O'Neill & Sons",
		"J. R. R. Tolkien, Jr.": "J. R. R. Tolkien, Jr.",
		"大阪 太郎":                 "大阪 太郎",
		"ひらカタ漢字 Tokyo":          "ひらカタ漢字 Tokyo",
		"김철수":                   "김철수",
		"عبد اللطيف":            "عبد اللطيف",
		"שָׁלוֹם":               "שָׁלוֹם",
		"Лев Толстой":           "Лев Толстой",
		"हिन्दी लेखक":           "हिन्दी लेखक",
		"Nguyễn Văn A":          "Nguyễn Văn A",
		"Catherine Root":        "Catherine Root",   // a surname
		"The A Team":            "The A Team",       // not an office
		"Max Helpmann":          "Max Helpmann",     // begins like an office
		"Ада Моддерман":         "Ада Моддерман",    //
		"Badminton Club":        "Badminton Club",   // contains the name of an office
		"System of a Down":      "System of a Down", // consists of reserved words and others
		"Staff Sergeant Jones":  "Staff Sergeant Jones",
		"New York Post Reader":  "New York Post Reader",
	} {
		got, err := domain.CleanDisplayName(typed)
		if err != nil || norm.NFC.String(got) != norm.NFC.String(want) {
			t.Errorf("%q: %q, %v; want %q", typed, got, err, want)
		}
	}
}

func TestMisleadingDisplayNameIsRejected(t *testing.T) {
	for what, names := range map[string][]string{
		"too long": {strings.Repeat("x", 51), strings.Repeat("界", 51), strings.Repeat("न\u093c", 80),
			strings.Repeat("x", 10_000)},
		"no letter or number": {"...", "-", "'", "。", "_ _"},
		"usernames":           {"@ada", "Ada (@ada)", "＠ada", "Ada ﹫ada"},
		"an invisible character": {"Ad\u200ba", "Ada\u200d", "\ufeffAda", "Ad\u2060a", "Ad\u00ada", "Ad\u034fa",
			"ㅤ", "Ada\u3164", "\u2800\u2800", "Ad\ufe0fa",
			"Ad\U000e0061a", "Ada\u115f", "Ad\u180ea"},
		"directions": {"Ad\u202ea", "\u2066Ada", "Ada\u2069", "Ad\u200fa", "Ad\u200ea", "Ad\u061ca", "\u202dAda"},
		"controls":   {"Ad\x00a", "Ad\x1ba", "Ad\u0085a\u0007"},
		"signs": {"Ada ✔", "Ada ✓", "Ada ☑️", "Ada 😀", "Ada ★", "Ada ©", "Ada ⚡", "Ada 🅰", "Ada +", "Ada <b>",
			"Ada $", "Ada ✅", "Ada †", "Ada #1", "Ada ٪"},
		"too many accents": {"A\u0316\u0317\u0318\u0301da", "A\u0301\u0302\u0303da", "Ada \u0301", "\u0301Ada",
			"Z̷a̵l̴g̶o̸\u0335\u0336\u0337", "Ada\u20dd"},
		"letters of scripts that no language mixes": {"Аda", "раypal", "Ada Иван", "Adα", "Ꭺda", "عبد Latif",
			"ひら한"},
		"digits of two numeral systems":     {"Ada 1١", "عبد ٢2"},
		"invalid UTF-8":                     {"Ad\xffa"},
		"private and unassigned characters": {"Ad\ue000a", "Ad\u0378a"},
		"offices": {"Administrator", "ADMIN", "admin.", "Ad min", "a.d.m.i.n", "Adrnin", "Adm1n", "Аdmin", "Admin Team",
			"Inkfeed Support", "Support Team", "Support (Team)",
			"Security", "System", "Verified", "Official", "Inkfeed", "lnkfeed", "The Administrator",
			"The Admins of Inkfeed", "Site Admin", "Administrator 1", "Admin 007",
			"Ada (Administrator)", "Ada, Moderator", "Ada – Inkfeed", "Jane from Inkfeed", "Ada [Admin]",
			"Ada Lovelace, verified", "Official Ada",
			"Help Desk", "The Support Team", "Your Support Team", "Administrateur", "Moderador", "Администратор",
			"Ада, модератор", "管理員", "网站管理员", "Inkfeed公式", "관리자", "المشرف", "מנהל"},
	} {
		t.Run(what, func(t *testing.T) {
			for _, name := range names {
				if got, err := domain.CleanDisplayName(name); !domain.Is(err, domain.Invalid) {
					t.Errorf("%q (%+q) is accepted as %q, error %v", name, name, got, err)
				}
			}
		})
	}
}

func FuzzDisplayName(f *testing.F) {
	for _, seed := range []string{"", "Ada Lovelace", "大阪 太郎", "عبد اللطيف", "O'Neill & Sons", "Ａｄａ ﷺ", "a\u0345 b",
		"The Admins", "ﾗｰﾒﾝ ẞ", "\u1fb3\u0345"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		name, err := domain.CleanDisplayName(typed)
		if err != nil {
			if !domain.Is(err, domain.Invalid) {
				t.Errorf("%+q: error %v", typed, err)
			}
			return
		}
		if again, err := domain.CleanDisplayName(name); again != name || err != nil {
			t.Errorf("%+q becomes %+q, which becomes %+q, error %v", typed, name, again, err)
		}
		if len(name) > 8*names.MaxDisplayName || strings.ContainsAny(name, "@<>\n\t") ||
			name != strings.TrimSpace(name) {
			t.Errorf("%+q becomes %+q", typed, name)
		}
	})
}
