// The command lines that corebluetooth accepts.

import CommandLineTool
import Testing

@testable import CoreBluetoothCommand

@Suite("The command lines of corebluetooth")
struct CoreBluetoothToolTests {
    @Test(
        "accepts options at their limits",
        arguments: [
            "controller --count 0", "controller --count 1000000", "benchmark Peer --reads 1 --size 1",
            "benchmark Peer --reads 1000000 --size 1048576", "air --hosts 1 --loss 0", "air --loss 1",
            "clone Peer --seconds 0", "clone Peer --seconds 86400", "scan --name x", "scan --watch --sort name",
            "scan --sort name --timeout 1", "scan --timeout 86400", "scan --json --duplicates",
            "capture --read a --follow",
            "capture --write a -- eightball demo",
            "advertise --name x --gatt a", "advertise --from-capture a --device b", "trace a b --output c.svg",
            "trace a --output c.mmd", "read Peer FFF1 --hex", "read Peer FFF1 --text", "write Peer FFF1 0A1b",
            "write Peer FFF1 xyz --text", "write Peer 0x0010 5 --as uint8",
            "write Peer FFF1 --as int8 -- -5", "write Peer FFF1 -", "read Peer FFF1 --descriptor 2901 --as uint16",
            "subscribe Peer FFF1 --count 1",
            "subscribe Peer FFF1 FFF2 --device Other --device Third --duration 0 --no-reconnect",
            "scan --raw --json", "scan --manufacturer Apple=0215 --manufacturer 0x0059",
            "scan --service-data FEAA=10", "scan --raw --passive --phy coded", "channel Peer 1",
            "channel Peer 0xFF --wait 0",
            "channel Peer 128 --listen tcp:127.0.0.1:0", "inspect Peer --handles",
            "uart Peer", "uart Peer --service FFE0 --rx FFE1 --tx FFE1 --pty --wait 0",
        ]
    )
    func taken(line: String) {
        #expect(throws: Never.self) {
            try CoreBluetoothTool.parseAsRoot(line.split(separator: " ").map(String.init))
        }
    }

    @Test(
        "refuses options outside their limits, and options that exclude each other",
        arguments: [
            ("controller --count -1", "The count is from 0 to 1000000."),
            ("controller --count 1000001", "The count is from 0 to 1000000."),
            ("benchmark Peer --reads 0", "The reads are 1 to 1000000."),
            ("benchmark Peer --reads 1000001", "The reads are 1 to 1000000."),
            ("benchmark Peer --size 0", "The size is 1 to 1048576 KiB."),
            ("benchmark Peer --size 1048577", "The size is 1 to 1048576 KiB."),
            ("air --hosts 0", "The number of hosts is 1 or more"), ("air --loss=-0.1", "The loss is a share"),
            ("air --loss 1.1", "The loss is a share"),
            ("clone Peer --seconds -1", "The wait in seconds must be from 0"),
            ("clone Peer --seconds 86401", "The wait in seconds must be from 0"),
            ("clone Peer --capture a", "clone writes a capture itself"), ("scan --name ''", "The name is empty."),
            ("scan --watch --json", "--watch shows a table"), ("scan --watch --duplicates", "--watch shows a table"),
            ("scan --sort name --timeout 1 --duplicates", "Devices are sorted at the end"),
            ("scan --sort name --json", "Devices are sorted at the end"), ("scan --timeout 0", "The timeout must be"),
            ("scan --manufacturer Aple", "did you mean \"Apple\"?"),
            ("scan --manufacturer 65536", "is no company's name"),
            ("scan --manufacturer Apple=0", "\"0\" is not hexadecimal"), ("scan --service-data xyz=00", "xyz"),
            ("capture --read a -- eightball", "Either a file is read or a program is run"),
            ("capture --follow", "--follow goes with a file."), ("capture --read a --write b", "--write goes with"),
            ("advertise --name ''", "The name is empty."),
            ("advertise --gatt a --from-capture b", "A peripheral is described by"),
            ("advertise --device a", "--device chooses a peripheral"),
            ("trace a --output c.png", "The output c.png is"),
            ("read Peer FFF1 --hex --text", "A value is printed in one form"),
            ("read Peer xyz", "xyz"), ("read Peer FFF1 --service xyz", "xyz"),
            ("write Peer FFF1 0A1", "\"0A1\" is not hexadecimal"),
            ("write Peer FFF1 300 --as uint8", "300 is no whole number from 0 to 255."),
            ("write Peer FFF1 01 --text --as hex", "A value has one type: --as or --text."),
            (
                "write Peer FFF1 01 --descriptor 2901 --without-response",
                "A descriptor is always written with a response."
            ),
            ("read Peer FFF1 --hex --as uint8", "A value is printed in one form"),
            ("read Peer 0x12345", "\"0x12345\" is no UUID"), ("read Peer FFF1 --descriptor xyz", "xyz"),
            ("subscribe Peer FFF1 --count 0", "The count is at least 1."),
            ("subscribe Peer FFF1 --duration -1", "The wait in seconds must be from 0 to 86400."),
            ("subscribe Peer FFF1 --device ''", "The device is empty."), ("subscribe Peer FFF1 xyz", "xyz"),
            ("scan --phy 2m", "Devices advertise on 1m or coded first, never on 2m."),
            ("scan --raw --watch", "--raw prints packets as they come"),
            ("scan --raw --sort name --timeout 1", "--raw prints packets as they come"),
            ("scan --raw --trace", "--raw prints packets as they come"), ("channel Peer 0", "\"0\" is no PSM"),
            ("channel Peer 256", "\"256\" is no PSM"), ("channel Peer 0x100", "\"0x100\" is no PSM"),
            ("channel Peer x", "\"x\" is no PSM"), ("channel Peer 128 --listen nowhere", "nowhere"),
            ("channel Peer 128 --wait -1", "The wait in seconds must be from 0 to 86400."),
            ("uart Peer --wait -1", "The wait in seconds must be from 0 to 86400."), ("uart Peer --rx xyz", "xyz"),
            ("benchmark Peer --interval 7.4", "The interval is from 7.5 to 4000 ms."),
            ("benchmark Peer --interval 4000.5", "The interval is from 7.5 to 4000 ms."),
            ("benchmark Peer --latency 500", "The latency is from 0 to 499."),
            ("benchmark Peer --latency -1", "The latency is from 0 to 499."),
            ("benchmark Peer --supervision-timeout 99", "The supervision timeout is from 100 to 32000 ms."),
            ("benchmark Peer --supervision-timeout 32001", "The supervision timeout is from 100 to 32000 ms."),
            ("read '' FFF1", "The device is empty."), ("connect ''", "The device is empty."),
        ]
    )
    func refused(line: String, reason: String) {
        #expect {
            try CoreBluetoothTool.parseAsRoot(line.split(separator: " ").map { $0 == "''" ? "" : String($0) })
        } throws: { error in
            CoreBluetoothTool.message(for: error).contains(reason)
        }
    }

    @Test(
        "limits the time for scanning and connecting to more than 0 and at most a day",
        arguments: [
            "read Peer FFF1", "write Peer FFF1 00", "subscribe Peer FFF1", "pair Peer", "inspect Peer", "connect Peer",
            "channel Peer 128", "uart Peer",
            "clone Peer", "benchmark Peer",
        ]
    )
    func timeouts(command: String) {
        let words = command.split(separator: " ").map(String.init)
        for seconds in ["0.001", "86400"] {
            #expect(throws: Never.self) { try CoreBluetoothTool.parseAsRoot(words + ["--timeout", seconds]) }
        }
        for seconds in ["0", "-1", "86400.5"] {
            #expect {
                try CoreBluetoothTool.parseAsRoot(words + ["--timeout", seconds])
            } throws: { error in
                CoreBluetoothTool.message(for: error).contains(
                    "The timeout must be more than 0 and at most 86400 seconds."
                )
            }
        }
    }

    @Test(
        "rejects names of no adapter, address, UUID, layer or PHY",
        arguments: [
            "controller --adapter nonsense", "bridge --listen nowhere", "bridge", "bridge --adapter air",
            "bridge --listen unix:/run/a --adapter nonsense", "air --listen nowhere",
            "air --listen unix:/run/a --listen nowhere", "scan --service xyz",
            "scan --service 180D --service xyz", "advertise --service xyz", "advertise --service 180D --service xyz",
            "write Peer xyz 00", "write Peer FFF1 00 --service xyz", "subscribe Peer xyz",
            "subscribe Peer FFF1 --hex --text", "capture --layer xyz", "benchmark Peer --phy 3m",
            "benchmark Peer --direction none", "scan --sort strength", "air --model fast",
        ]
    )
    func names(line: String) {
        #expect(throws: (any Error).self) {
            try CoreBluetoothTool.parseAsRoot(line.split(separator: " ").map(String.init))
        }
    }
}
