package web_test
import ("testing";"fmt")
func TestQuick(t *testing.T){
 s:=newSite(t)
 a:=s.member("ada")
 fmt.Println(a.get("/nope").want(404).body)
 fmt.Println(s.log)
}
