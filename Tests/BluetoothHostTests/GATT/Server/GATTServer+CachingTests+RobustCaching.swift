// Change-aware and change-unaware clients (Vol 3, Part G, 2.5.2.1).

import Testing

@testable import BluetoothHost

extension GATTServerCachingTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAS/BV-05-C Requests on an unsynchronised database
        add
        > 0A 10 00 < 0B 01 02 03              # robust caching is not asked for
        > 12 0B 00 01 < 13
        add
        > 0A 10 00 < 01 0A 10 00 12
        > 0A 10 00 < 0B 01 02 03              # the error is sent once
        add
        > 0A 10 00 < 01 0A 10 00 12
        > 52 15 00 01                         # ignored: the client knows, but has not shown it
        > 12 0B 00 00 < 01 12 0B 00 13        # the next request shows it
        > 52 15 00 01 ? command 0015 01
        > 0A 0B 00 < 0B 01
        add
        > 0A 0D 00 < 01 0A 0D 00 12           # the hash itself, by its handle
        add
        > 08 01 00 FE FF 2A 2B < 01 08 01 00 12  # by type, but not over the whole range

        ## GATT/SR/GAS/BV-06-C Hash read and Service Changed, database changed while connected
        features 01
        add
        hash type
        > 0A 10 00 < 0B 01 02 03
        subscribe 0008
        add < 1D 08 00 39 00 3C 00
        > 1E
        > 0A 10 00 < 0B 01 02 03
        add < 1D 08 00 3D 00 40 00
        > 0A 10 00 < 01 0A 10 00 12           # not confirmed

        ## GATT/SR/GAS/BV-07-C Hash read and Service Changed, database changed between connections
        features 01
        disconnect
        add
        reconnect
        hash type
        > 0A 10 00 < 0B 01 02 03
        subscribe 0008
        disconnect
        add
        reconnect < 1D 08 00 01 00 FF FF
        > 1E
        > 0A 10 00 < 0B 01 02 03
        disconnect
        reconnect
        > 12 0B 00 00 < 01 12 0B 00 13
        > 12 09 00 00 00 < 13
        disconnect
        add
        reconnect
        > 0A 10 00 < 01 0A 10 00 12
        disconnect
        reconnect
        > 0A 10 00 < 01 0A 10 00 12           # a new link, the same error

        ## a hash or an error that is out of date by the next request makes no client change-aware
        features 01
        add
        hash type
        add
        > 0A 10 00 < 01 0A 10 00 12
        add
        > 0A 10 00 < 01 0A 10 00 12

        ## a confirmation of the change before the last makes no client change-aware
        features 01
        subscribe 0008
        add < 1D 08 00 35 00 38 00
        add
        > 1E < 1D 08 00 39 00 3C 00
        > 0A 10 00 < 01 0A 10 00 12
        > 1E
        > 0A 10 00 < 0B 01 02 03

        ## sends no values to a change-unaware client
        features 05
        subscribe 0017
        subscribe 001A
        notify 0017 01
        add < 1B 17 00 01                     # made before the change
        notify 0017 02 ? dropped 1
        notify 001A 03                        # waits
        flush
        > 10 01 00 05 00 00 28 < 11 06 01 00 05 00 00 18
        > 0A 10 00 < 01 0A 10 00 12
        > 0A 10 00 < 1D 1A 00 03 < 0B 01 02 03
        notify 0017 04
        flush < 1B 17 00 04
        """
    )

    @Test("follows the script of robust caching", arguments: Self.scripts)
    func robustCaching(_ script: TitledScript) throws { try script.runOnServer() }

    @Test(
        "refuses a request of a change-unaware client that uses handles",
        arguments: [
            "0A 10 00", "0C 10 00 00 00", "0E 10 00 32 00", "20 10 00 32 00", "12 13 00 01", "16 13 00 00 00 01",
            "08 02 00 FF FF 00 2A", "0A EE EE",
        ]
    )
    func refused(request: String) throws {
        try self.run("features 01\nadd\n> \(request)\n< 01 \(request.prefix(8)) 12")
    }

    @Test(
        "answers a discovery request of a change-unaware client, which stays change-unaware",
        arguments: [
            ("02 17 00", "03 05 02"), ("10 01 00 05 00 00 28", "11 06 01 00 05 00 00 18"),
            ("06 01 00 FF FF 00 28 00 A0", "07 0E 00 24 00"), ("04 11 00 11 00", "05 01 11 00 01 29"),
            ("08 0E 00 10 00 03 28", "09 07 0F 00 02 10 00 01 A0"),
            ("08 2E 00 2F 00 02 28", "09 08 2F 00 28 00 2D 00 00 B0"),
            ("08 01 00 FF FF 00 2A", "09 06 03 00 42 61 6C 6C"), ("24", "01 24 00 00 06"), ("0A", "01 0A 00 00 04"),
        ]
    )
    func answered(request: String, answer: String) throws {
        try self.run("features 01\nadd\n> \(request)\n< \(answer)\n> 0A 10 00\n< 01 0A 10 00 12")
    }
}
