import BluetoothAirService
import BluetoothTypes
import Foundation
import Testing

@testable import BluetoothTransport
@testable import CoreBluetoothCommand

@Suite("The files that permit an adapter for good")
struct SetupFilesTests {
    private let dongle = AdapterListing.dongle

    @Test("are a unit and a rule for the program; the packages' unit takes its arguments from a file")
    func setup() throws {
        let text = SetupFiles(program: "/opt/my ball", listing: .of([self.dongle])).text
        #expect(text.contains("# /etc/systemd/system/my-ball.service"))
        #expect(text.contains("ExecStart=\"/opt/my ball\"\nEnvironment=COREBLUETOOTH_ADAPTER=hci1\n"))
        #expect(!text.contains("Type=notify") && !text.contains("sudo install"))
        #expect(text.contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        #expect(text.contains("Conflicts=bluetooth.service"))
        #expect(text.contains("SUBSYSTEM==\"bluetooth\""))
        let packaged = SetupFiles(program: "/usr/bin/corebluetooth", listing: .of([])).packagedUnit
        #expect(packaged.contains("ExecStart=\"/usr/bin/corebluetooth\" $ARGUMENTS\n"))
        #expect(!packaged.contains("hci0"))
        let own = SetupFiles(program: "/opt/corebluetooth", listing: .of([self.dongle])).text
        let end = try #require(packaged.range(of: "AmbientCapabilities")).lowerBound
        #expect(own.contains(packaged[end...]))
    }

    @Test(
        "C5: start a command of ours that reports when it is ready, installed where every user may run it",
        arguments: [
            ("/usr/bin/corebluetooth", "ExecStart=\"/usr/bin/corebluetooth\" advertise\n", nil),
            (
                "/root/.build/debug/eightball", "\"/usr/local/bin/eightball\" peripheral\n",
                "/root/.build/debug/eightball"
            ),
            ("/home/me/it's/blueear", "\"/usr/local/bin/blueear\" peripheral\n", "'/home/me/it'\\''s/blueear'"),
            ("/opt/50%/\"a\\b\"", "ExecStart=\"/opt/50%%/\\\"a\\\\b\\\"\"\n", nil),
        ] as [(String, String, String?)]
    )
    func services(program: String, start: String, installed: String?) {
        let text = SetupFiles(program: program, listing: .of([self.dongle])).text
        #expect(text.contains(start), "\(text)")
        #expect(text.contains("Type=notify\nWatchdogSec=30\n") == !program.hasPrefix("/opt"))
        #expect(text.contains("RestartSec=5\n"))
        #expect(text.contains("sudo install") == (installed != nil))
        if let installed { #expect(text.contains("sudo install \(installed) /usr/local/bin/")) }
    }

    @Test("name the adapter and the program, whatever its path")
    func files() {
        for program in ["/", "", "/opt/naïve_2%"] {
            let text = SetupFiles(program: program, listing: .of([self.dongle])).text
            #expect(text.contains("Wants=sys-subsystem-bluetooth-devices-hci1.device\n"))
        }
        let nobody = SetupFiles(program: nil, listing: .of([])).text
        #expect(nobody.hasPrefix("# /etc/systemd/system/PROGRAM.service\n[Unit]\nDescription=PROGRAM on hci0\n"))
        #expect(nobody.contains("\nExecStart=\"/usr/local/bin/PROGRAM\"\n"))
        #expect(nobody.contains("\n# /etc/udev/rules.d/70-PROGRAM.rules\n"))
    }
}
