// What the folders of the kernel say of an adapter in their less usual forms: each bus, addresses that contradict each
// other, switches in any order, and the sockets of the service.

import BluetoothTypes
import Fixtures
import Foundation
import Testing

@testable import BluetoothTransport

@Suite("Details of adapters")
struct AdapterDetailsTests {
    @Test(
        "What connects an adapter is named by its kind, and what is unknown by the kernel's word",
        arguments: [
            ("usb", "USB"), ("tty", "UART"), ("serial", "UART"), ("serdev", "UART"), ("sdio", "SDIO"), ("mmc", "SDIO"),
            ("pci", "PCI"), ("platform", "platform"),
        ]
    )
    func buses(subsystem: String, bus: String) throws {
        let system = try AdapterListingTests.System()
        try system.addAdapter("hci0", on: "soc/device", bus: subsystem)
        #expect(AdapterListing(folder: system.path).adapters.map(\.bus) == [bus])
    }

    @Test("The address that the folder shows comes before that of the kernel, unless it is none")
    func addresses() throws {
        let shown = DeviceAddress(0xB827_EB01_020A, kind: .public)
        let asked = DeviceAddress(0x0011_2233_4455, kind: .public)
        let rows: [(text: String?, kernel: DeviceAddress?, expected: DeviceAddress?)] = [
            ("b8:27:eb:01:02:0a", asked, shown), ("b8:27:eb:01:02:0a", DeviceAddress.none, shown),
            ("b8:27:eb:01:02:0a", nil, shown), ("00:00:00:00:00:00", asked, asked), ("nonsense", asked, asked),
            (nil, asked, asked), ("00:00:00:00:00:00", nil, nil), ("nonsense", nil, nil),
        ]
        for (number, row) in rows.enumerated() {
            let system = try AdapterListingTests.System()
            try system.addAdapter("hci0", on: nil)
            if let text = row.text { try system.write("devices/virtual/bluetooth/hci0/address", text + "\n") }
            let listing = AdapterListing(folder: system.path) { _ in
                row.kernel.map { AdapterListing.KernelInformation(address: $0, isUp: true) }
            }
            #expect(listing.adapters.map(\.address) == [row.expected], "\(number)")
        }
    }

    @Test("Switches of the machine are in the order of their names; one without a name, or of another kind, is none")
    func switches() throws {
        let system = try AdapterListingTests.System()
        try system.addAdapter("hci0", on: nil)
        try system.addSwitch("rfkill0", name: "z_switch", soft: 1, hard: 0)
        try system.addSwitch("rfkill1", name: "a_switch", soft: 0, hard: 0)
        try system.addSwitch("rfkill2", name: "hci0", type: "wlan", soft: 1, hard: 1)
        try system.addSwitch("rfkill3", name: "hci1", soft: 0, hard: 1)
        try system.write("class/rfkill/rfkill4/type", "bluetooth\n")
        let listing = AdapterListing(folder: system.path)
        #expect(
            listing.radioSwitches == [
                .init(name: "a_switch", block: .none), .init(name: "hci1", block: .bySwitch),
                .init(name: "z_switch", block: .byProgram),
            ]
        )
        #expect(listing.adapters.map(\.block) == [.none])
    }

    @Test("An adapter is opened by its name, and nothing is known of it that is not said")
    func adapter() {
        let adapter = AdapterListing.Adapter(index: 3, bus: "USB")
        #expect(adapter.name == .linux(index: 3) && adapter.name.description == "hci3" && adapter.bus == "USB")
        #expect(adapter.address == nil && adapter.driver == nil && adapter.product == nil)
        #expect(adapter.isUp == nil && adapter.isManaged == nil && adapter.block == .none)
    }

    @Test("Where the sockets of the service are seen, those that are not seen are another program's")
    func serviceIsSeen() throws {
        let processes = try AdapterUnavailableTests.Processes()
        try processes.add(800, "bluetoothd", sockets: [501])
        try processes.setSockets([501, 502, 503])
        var holders = AdapterHolders(processes.listing)
        #expect(holders.daemon?.number == 800 && holders.programs.isEmpty && holders.unseenCount == 2)
        // A program whose sockets are seen says nothing of those of the service.
        let others = try AdapterUnavailableTests.Processes()
        try others.add(800, "bluetoothd")
        // A number that this process cannot have: the kernel's limit is lower.
        try others.add(9_000_000, "eightball", sockets: [502])
        try others.setSockets([501, 502])
        holders = AdapterHolders(others.listing)
        #expect(holders.daemon?.number == 800 && holders.programs.map(\.number) == [9_000_000])
        #expect(holders.unseenCount == 0)
    }

    @Test("Of two services the one with the lower number is named, and programs are in the order of their numbers")
    func order() throws {
        let processes = try AdapterUnavailableTests.Processes()
        for number in [1_000, 90, 800] { try processes.add(number, "bluetoothd") }
        for (number, socket) in [(50_000_000, 1), (9_000_000, 2), (10_000_000, 3)] {
            try processes.add(number, "p\(socket)", sockets: [socket])
        }
        try processes.setSockets([1, 2, 3])
        let holders = AdapterHolders(processes.listing)
        #expect(holders.daemon?.number == 90)
        #expect(holders.programs.map(\.number) == [9_000_000, 10_000_000, 50_000_000])
    }
}
