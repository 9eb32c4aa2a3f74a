package subprocess

var LimitProcess = limitProcess
