package value_test

import (
	"bytes"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

func TestCanonicalText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{` { "b" : 1 , "a" : [ true , null ] } `, `{"b":1,"a":[true,null]}`},
		{`3.0`, `3`},
		{`-0.0`, `0`},
		{`1e2`, `100`},
		{`0.1`, `0.1`},
		{`9223372036854775807`, `9223372036854775807`},
		{`-9223372036854775808`, `-9223372036854775808`},
		{`18446744073709551616`, `1.8446744073709552e+19`},
		{`123456.789`, `123456.789`},
		{`1e-7`, `1e-07`},
		{`"\u003c\u00e9\ud83d\ude00\n\u0001\/"`, `"<é😀\n\u0001/"`},
		{`"\ud83d"`, `"�"`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			v, err := value.Parse(tt.text)
			if err != nil || v.JSON() != tt.want {
				t.Errorf("got %s, want %s (%v)", v.JSON(), tt.want, err)
			}
		})
	}
	for _, text := range []string{"", "{", "[1,]", `{"a":1,}`, "01", "1.", "-", "nul", `"a`, `"\x"`, "1e999", "1 2",
		"\"\n\"",
		strings.Repeat("[", 129) + strings.Repeat("]", 129)} {
		t.Run("refused: "+text, func(t *testing.T) {
			if v, err := value.Parse(text); err == nil {
				t.Errorf("got %s", v.JSON())
			}
		})
	}
}

// ascending lists distinct values in ascending order.
var ascending = []string{
	`null`, `false`, `true`,
	`-1e300`, `-9223372036854775808`, `-9007199254740993`, `-9007199254740992`, `-1.5`, `-1`, `-1e-300`, `0`, `1e-300`,
	`0.5`, `1`,
	`9007199254740992`, `9007199254740993`, `9007199254740994`, `9223372036854775806`, `9223372036854775807`,
	`9223372036854775808`, `1e300`,
	`""`, `"\u0000"`, `"A"`, `"a"`, `"aa"`, `"é"`, `"😀"`,
	`[1]`, `{"a":1}`,
}

func TestOrder(t *testing.T) {
	values := []value.Value{{}}
	for _, text := range ascending {
		v, err := value.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	for i, a := range values {
		for j, b := range values {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := value.Compare(a, b); got != want {
				t.Errorf("compare %s and %s: got %d, want %d", a.JSON(), b.JSON(), got, want)
			}
			if got := bytes.Compare(a.Key(), b.Key()); got != want {
				t.Errorf("the keys of %s and %s: got %d, want %d", a.JSON(), b.JSON(), got, want)
			}
		}
	}
	t.Run("members in any order are equal", func(t *testing.T) {
		a, _ := value.Parse(`{"a":[{"x":1,"y":2}],"b":1.0}`)
		b, _ := value.Parse(`{"b":1,"a":[{"y":2,"x":1}]}`)
		if !value.Equal(a, b) || !bytes.Equal(a.Key(), b.Key()) {
			t.Error("the objects are not equal")
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range ascending {
		f.Add(seed)
	}
	f.Add(`{"a":[1,{"b":"\ud83d\ude00"}],"a":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.Parse(text)
		if err != nil {
			return
		}
		again, err := value.Parse(v.JSON())
		if err != nil || again.JSON() != v.JSON() || !value.Equal(v, again) {
			t.Errorf("%q is written %s and read back %s (%v)", text, v.JSON(), again.JSON(), err)
		}
	})
}
