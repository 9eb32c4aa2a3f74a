package picture

import (
	"reflect"
	"testing"
)

// FuzzCSS checks that what is written has the references that were collected.
func FuzzCSS(f *testing.F) {
	f.Add(`@media x{.a{b:c}}.\62 é,* > g:hover {fill:var(--a,url('\23 a'))"x;{mask:rgb(1 2/3)}}`)
	f.Add(`a/**/b,.c{font:a 'b"\c';fill:url(x)url(#a);d{e}--f:g;x:calc((1 + 2em)*-3)!important}`)
	f.Add(`fill:URL( "#%61" )red;mask:inherit;x:rgb(1;y:2);u/**/rl(#a)<!-- } u+1-2{ `)
	f.Fuzz(func(t *testing.T, source string) {
		for level := range 2 {
			c := cleanCSS(nil, source, level)
			again := cleanCSS(nil, c.sheet.String(), level)
			if level == 1 {
				again = cleanCSS(nil, c.declarations.String(), level)
			}
			if level == 0 && (c.sheet.String() != again.sheet.String() || !reflect.DeepEqual(c.rules, again.rules)) ||
				level == 1 && (c.declarations.String() != again.declarations.String() ||
					!reflect.DeepEqual(c.rule.refers, again.rule.refers)) {
				t.Errorf("%q becomes\n%+v,\nwhich becomes\n%+v", source, c, again)
			}
		}
	})
}
