// The report on adapters, over folders that look like the kernel's.

import BluetoothAirService
import BluetoothTransport
import BluetoothTypes
import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("corebluetooth adapters")
struct AdaptersTests {
    private func listing(_ adapters: [AdapterListing.Adapter]) -> AdapterListing {
        var listing = AdapterListing(folder: "/nowhere")
        listing.adapters = adapters
        return listing
    }

    private let pi = AdapterListing.Adapter(
        index: 0,
        address: DeviceAddress("B8:27:EB:01:02:0A", kind: .public),
        bus: "UART",
        driver: "hci_uart_bcm",
        product: nil,
        isUp: true,
        block: .none
    )
    private let dongle = AdapterListing.Adapter(
        index: 1,
        address: nil,
        bus: "USB",
        driver: "btusb",
        product: "Radio",
        isUp: false,
        block: .none
    )

    private func report(
        _ adapters: [AdapterListing.Adapter],
        programs: [ProcessInformation] = [],
        may: Bool
    ) -> AdapterReport {
        var holders = AdapterHolders()
        holders.daemon = ProcessInformation(number: 800, name: "bluetoothd")
        holders.programs = programs
        return AdapterReport(
            listing: self.listing(adapters),
            holders: holders,
            program: "/opt/corebluetooth",
            mayUseAdapters: may,
            air: nil
        )
    }

    @Test("Below each adapter stand what is in the way and the commands, or that it is ready")
    func lines() {
        #expect(
            self.report([self.pi, self.dongle], may: true).lines == [
                "hci0    B8:27:EB:01:02:0A  up  UART, hci_uart_bcm",
                "    hci0 is in use by bluetoothd (process 800); to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "hci1    no address yet  down  USB, btusb, Radio",
                "    ready: --adapter hci1",
                "air     your own air: there is no folder for it",
            ]
        )
        let blocked = AdapterListing.Adapter(
            index: 0,
            address: nil,
            bus: "USB",
            driver: nil,
            product: nil,
            isUp: false,
            block: .byProgram
        )
        #expect(
            self.report([blocked], may: false).lines.dropLast() == [
                "hci0    no address yet  blocked  USB",
                "    hci0 is switched off; to change that, run",
                "        rfkill unblock bluetooth",
                "    no permission for hci0; to change that, run",
                "        sudo setcap cap_net_admin,cap_net_raw+eip /opt/corebluetooth",
            ]
        )
    }

    @Test("Each adapter has its own holder: the program whose it is, the service with the others")
    func holders() throws {
        let program = ProcessInformation(number: 900, name: "eightball")
        var (first, second) = (self.pi, self.dongle)
        (first.isManaged, second.isManaged, second.isUp) = (true, false, true)
        let report = self.report([first, second], programs: [program], may: true)
        #expect(
            report.lines.dropLast() == [
                "hci0    B8:27:EB:01:02:0A  up  UART, hci_uart_bcm",
                "    hci0 is in use by bluetoothd (process 800); to change that, run one of",
                "        bluetoothctl power off",
                "        sudo systemctl stop bluetooth",
                "hci1    no address yet  up  USB, btusb, Radio",
                "    eightball (process 900) has hci1 for itself; to change that, run",
                "        kill 900",
            ]
        )
        let objects = try report.objects.map { value in
            try #require(try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        }
        let holders = objects.prefix(2).map { ($0["holder"] as? [String: Any])?["name"] as? String }
        #expect(holders == ["bluetoothd", "eightball"])
        #expect(
            self.report([second], may: true).lines[1]
                == "    another program has hci1 for itself; to see which one, run this command with sudo"
        )
    }

    @Test("The JSON has an object for each adapter and one for the air, with the same commands")
    func json() throws {
        let objects = try self.report([self.pi, self.dongle], may: true).objects.map { value in
            try #require(try JSONSerialization.jsonObject(with: Data(value.text.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["adapter"] as? String } == ["hci0", "hci1", "air"])
        #expect(objects[0]["address"] as? String == "B8:27:EB:01:02:0A")
        #expect(objects[0]["ready"] as? Bool == false)
        #expect((objects[0]["holder"] as? [String: Any])?["process"] as? Int == 800)
        let obstacles = try #require(objects[0]["obstacles"] as? [[String: Any]])
        #expect(obstacles.count == 1)
        #expect(obstacles[0]["commands"] as? [String] == ["bluetoothctl power off", "sudo systemctl stop bluetooth"])
        #expect(objects[1]["ready"] as? Bool == true)
        #expect(objects[1]["address"] is NSNull)
        #expect(objects[2]["served"] as? Bool == false)
    }

    @Test("The files for good name the program and the adapter")
    func setup() throws {
        let text = SetupFiles(program: "/opt/my ball", listing: self.listing([self.dongle])).text
        #expect(text.contains("# /etc/systemd/system/my-ball.service"))
        #expect(text.contains("ExecStart=\"/opt/my ball\" --adapter hci1"))
        #expect(text.contains("AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW"))
        #expect(text.contains("Conflicts=bluetooth.service"))
        #expect(text.contains("SUBSYSTEM==\"bluetooth\""))
        // That of the packages takes its arguments from a file, and is the same below.
        let packaged = SetupFiles(program: "/usr/bin/corebluetooth", listing: self.listing([])).packagedUnit
        #expect(packaged.contains("ExecStart=\"/usr/bin/corebluetooth\" $ARGUMENTS\n"))
        #expect(!packaged.contains("hci0"))
        let own = SetupFiles(program: "/opt/corebluetooth", listing: self.listing([self.dongle])).text
        let end = try #require(packaged.range(of: "AmbientCapabilities")).lowerBound
        #expect(own.contains(packaged[end...]))
    }
}
