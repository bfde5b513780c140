"""Three-dimensional files: meshes and voxels become a Volume, or a plan between two heights."""
