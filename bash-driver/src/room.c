/* Room for what is large, see room.h. Linked last. */
#include "room.h"

struct message message;
struct file room_of_fork[LOOKED_AT];
struct file room_of_stop[LOOKED_AT];
struct file room_of_noted[LOOKED_AT];
